// SQL where the program that answers it is missing.

import { expect, it } from 'vitest';
import { seriousFaults } from './browser';
import { run, Server } from './onca';
import { Session } from './session';

const session = new Session(async (folder) => {
  const trace = folder.file('demo.paje');
  run(['demo', '--no-open', '-o', trace]);
  return { bare: await Server.start([trace], { ONCA_SQL: folder.file('nowhere') }) };
});

it('says how to install it, before and after a question', async () => {
  const visit = await session.visit('bare');
  await visit.tab('SQL');
  const said = visit.page.getByRole('alert');
  await said.getByText('cargo install --path crates/sql-cli --locked').waitFor();
  await visit.page.getByRole('button', { name: /^Run/ }).click();
  await said.getByText(/onca-sql, and ONCA_SQL names .*nowhere, which is not there/).waitFor();
  // The button can be read while the pointer is over it.
  expect(await seriousFaults(visit)).toEqual([]);
  // The browser complains of the two answers that said no, a little later than they are shown.
  await expect.poll(() => visit.complaints.length).toBe(2);
  expect(visit.complaints.splice(0).every((complaint) => complaint.includes('501'))).toBe(true);
});
