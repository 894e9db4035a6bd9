//! Pictures as files, and the commands that make them.

use serde_json::{Value, json};

use super::SECOND;
use crate::support::TestSite;

#[tokio::test]
async fn exports_are_files_with_their_command() {
    let site = TestSite::new().await;
    let asked = json!({"width": 600, "rows": {"fit": 200}, "theme": "dark", "links": "none",
                       "window": {"from": SECOND, "to": 3 * SECOND}});
    let with = |extra: Value| {
        let mut asked = asked.clone();
        asked.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        asked
    };
    let svg = site.post("export", with(json!({"format": "svg"}))).await.expect(200);
    assert!(svg.text().contains("<svg"), "{}", svg.text());
    let command = svg.header("x-onca-command");
    assert!(command.starts_with("onca%20render%20timeline%20"), "{command}");
    let png = site.post("export", with(json!({"format": "png", "scale": 1}))).await.expect(200);
    assert!(png.bytes.starts_with(b"\x89PNG"));
    let pdf = site.post("export", with(json!({"format": "pdf"}))).await.expect(200);
    assert!(pdf.bytes.starts_with(b"%PDF"));
    let lens = json!({"version": 1, "select": {"values": {"hide": ["wait"]}}});
    let told = site.post("command", with(json!({"lens": lens}))).await.expect(200).json();
    let command = told["command"].as_str().unwrap();
    for part in ["--from=1", "--to=3", "--lens=lens.json", "--no-links", "--theme=dark"] {
        assert!(command.contains(part), "{command}");
    }
    assert!(told["lens_file"].as_str().unwrap().contains("wait"));
    let pie = json!({"view": "pie", "width": 300, "height": 300, "format": "svg"});
    assert!(site.post("export", pie).await.expect(200).text().contains("<svg"));
    let page = site.post("export", json!({"view": "page"})).await.expect(200);
    assert!(page.text().contains("<h2>Timeline</h2>"));
    let told = site.post("command", json!({"view": "page"})).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().starts_with("onca render page "));
    for odd in [json!({"view": "page", "format": "svg"}), with(json!({"format": "html"}))] {
        site.post("export", odd).await.expect(400);
    }
    let flame = json!({"view": "flame", "width": 300, "height": 300, "path": ["run"]});
    let told = site.post("command", flame).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().contains("--inside=run"), "{told}");
    let change = json!({"view": "treemap", "width": 300, "height": 300,
                        "against_from": 0, "against_to": SECOND});
    let told = site.post("command", change.clone()).await.expect(200).json();
    assert!(told["command"].as_str().unwrap().contains("--against-to=1"), "{told}");
    assert!(site.post("export", change).await.expect(200).text().contains("twice as much"));
    let ratio = json!({"view": "treemap", "width": 300, "height": 300,
                       "agg": "max", "ratio": "time:run / count"});
    let told = site.post("command", ratio.clone()).await.expect(200).json();
    let command = told["command"].as_str().unwrap();
    assert!(command.contains("--agg=max '--ratio=time:run / count'"), "{command}");
    assert!(site.post("export", ratio).await.expect(200).text().contains("Ratio time:state:run"));
    let scene = json!({"view": "scene3d", "width": 500, "height": 400, "base": "treemap", "arrows": 0,
                       "camera": {"azimuth": 12.5, "elevation": 60}, "edges": false, "events": true});
    assert!(
        site.post("export", scene.clone()).await.expect(200).text().contains("Hierarchy and time")
    );
    let told = site.post("command", scene).await.expect(200).json();
    let flags = "--base=treemap --camera=12.5,60 --edges=false --arrows=0 --events --width=500";
    assert!(told["command"].as_str().unwrap().contains(flags), "{told}");
    for odd in [
        json!({"view": "scene3d", "height": 400, "camera": {"azimuth": 0, "elevation": 91}}),
        json!({"view": "scene3d"}),
        json!({"view": "topology", "height": 400, "topology": "nowhere"}),
    ] {
        site.post("export", odd).await.expect(400);
    }
    site.post("export", with(json!({"format": "gif"}))).await.expect(400);
    site.post("export", with(json!({"scale": 1000}))).await.expect(400);
}
