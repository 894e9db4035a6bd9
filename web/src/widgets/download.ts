// Gives bytes to the person as a file.

export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The download has begun when the click returns; the address is not needed after that.
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
