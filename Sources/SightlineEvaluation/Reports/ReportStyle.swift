/// The style sheet of reports.
enum ReportStyle {
    static let css: HTML = """
        :root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5b6675;--line:#dfe4ea;--accent:#2563c9;\
        --c1:#2563c9;--c2:#c2570c;--c3:#15803d;--bad:#c22f3d;--good:#15803d;--lost:#b45309;--heat:37 99 201;--heat-bad:194 47 61}
        @media (prefers-color-scheme:dark){:root{--page:#0f141b;--card:#18202a;--ink:#e7ecf3;--soft:#9aa7b8;--line:#2b3644;\
        --accent:#7fb0ff;--c1:#7fb0ff;--c2:#ffa15c;--c3:#5fd38a;--bad:#ff7a85;--good:#5fd38a;--lost:#ffc15c;--heat:95 150 255;\
        --heat-bad:255 100 112}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,\
        "Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
        header,main,footer{max-width:1120px;margin:0 auto;padding:0 20px}
        header{padding-top:32px;padding-bottom:8px}
        h1{font-size:26px;line-height:1.25;margin:0;overflow-wrap:anywhere;letter-spacing:-.01em}
        header p{margin:6px 0 0;color:var(--soft);overflow-wrap:anywhere}
        h2{font-size:18px;margin:0 0 4px}
        section,.figures{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px;margin:16px 0}
        .note{color:var(--soft);margin:0 0 14px;max-width:75ch}
        .warn{border-left:4px solid var(--lost);overflow-wrap:anywhere}
        .warn p{margin:0 0 6px}
        .warn ul{margin:6px 0 0;padding-left:20px;color:var(--soft);font-size:13px}
        .figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(128px,1fr));gap:16px 12px}
        .figures div{display:flex;flex-direction:column}
        .figures dt{color:var(--soft);font-size:13px}
        .figures dd{margin:0;font-size:26px;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.01em;line-height:1.25}
        .figures small{display:block;font-size:12.5px;font-weight:400;color:var(--soft);letter-spacing:0;line-height:1.4}
        .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr));gap:24px}
        .plots+.scroll{margin-top:20px}
        figure{margin:0}
        .plot figcaption{font-weight:600;margin-bottom:6px}
        .plot svg{display:block;width:100%;height:auto;overflow:visible}
        .plot text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
        .plot text.note{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--card);stroke-width:5px;stroke-linejoin:round}
        .grid{stroke:var(--line)}
        .diagonal{stroke:var(--soft);stroke-dasharray:4 4}
        .marker{stroke:var(--ink);stroke-dasharray:3 3}
        .bar{fill:var(--c1);opacity:.75}
        .curve{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
        .curve.c1{stroke:var(--c1)}.curve.c2{stroke:var(--c2)}.curve.c3{stroke:var(--c3)}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0 0;padding:0 0 0 10px;color:var(--soft);font-size:13px}
        .legend i{display:inline-block;width:14px;height:3px;border-radius:2px;margin-right:6px;vertical-align:middle}
        i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}
        .scroll{overflow-x:auto;border-radius:6px}
        .scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
        table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%}
        th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
        thead th{color:var(--soft);font-weight:600;font-size:13px;vertical-align:bottom}
        th:first-child,td:first-child{text-align:left;padding-left:0}
        tbody th{font-weight:500;max-width:260px;overflow:hidden;text-overflow:ellipsis}
        tbody tr:last-child th,tbody tr:last-child td{border-bottom:0}
        tr.chosen th,tr.chosen td{font-weight:650}
        td.text,th.text{text-align:left}
        td.share span{display:inline-block;width:64px;height:6px;border-radius:3px;background:var(--line);margin-right:8px;\
        vertical-align:middle;overflow:hidden;text-align:left}
        td.share i{display:block;height:100%;background:var(--accent);border-radius:3px}
        table.matrix{width:auto;font-size:13px}
        .matrix th,.matrix td{padding:0;border:0;text-align:center}
        .matrix td{width:38px;min-width:38px;height:34px;border:1px solid var(--card);border-radius:6px}
        .matrix td.right{background:rgb(var(--heat)/calc(.08 + var(--v)*.72))}
        .matrix td.wrong{background:rgb(var(--heat-bad)/calc(.1 + var(--v)*1.4))}
        .matrix td.zero{color:transparent;background:color-mix(in srgb,var(--line) 35%,transparent)}
        .matrix thead th{height:110px;vertical-align:bottom;max-width:38px;min-width:38px;color:var(--ink);font-weight:500;padding-bottom:6px}
        .matrix thead th:first-child{vertical-align:bottom;text-align:left;color:var(--soft);max-width:none;font-size:12px}
        .matrix thead span{writing-mode:vertical-rl;transform:rotate(180deg);max-height:104px;overflow:hidden;text-overflow:ellipsis}
        .matrix tbody th{text-align:right;padding-right:10px;max-width:150px}
        .matrix a{color:inherit;display:block;line-height:34px}
        .pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:16px}
        .pictures.wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr))}
        .pictures figure{min-width:0}
        .pictures img{display:block;width:100%;aspect-ratio:1;object-fit:cover;border-radius:8px;background:var(--line)}
        .pictures svg{display:block;width:100%;aspect-ratio:4/3;border-radius:8px;background:var(--line)}
        .pictures rect{fill:none;stroke-width:2.5;vector-effect:non-scaling-stroke}
        rect.right{stroke:#2bd46b}rect.wrong{stroke:#ff4d5e}rect.missed{stroke:#ffc233;stroke-dasharray:6 4}
        .pictures figcaption{font-size:13px;line-height:1.4;margin-top:6px;overflow-wrap:anywhere}
        .pictures .path{color:var(--soft);font-size:12px;display:block;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .missing{display:grid;place-items:center;aspect-ratio:1;border-radius:8px;background:var(--line);color:var(--soft);font-size:13px}
        b.good{color:var(--good)}b.bad{color:var(--bad)}b.lost{color:var(--lost)}
        .keys{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 14px;padding:0;list-style:none;color:var(--soft);font-size:13px}
        .keys i{display:inline-block;width:14px;height:10px;border:2px solid;border-radius:2px;margin-right:6px;vertical-align:-1px}
        .keys .right{border-color:#2bb45f}.keys .wrong{border-color:#ff4d5e}.keys .missed{border-color:#e0a000;border-style:dashed}
        footer{color:var(--soft);font-size:13px;padding-top:4px;padding-bottom:32px}
        :target{outline:3px solid var(--accent);outline-offset:4px;border-radius:8px}
        @media screen and (max-width:520px){header,main,footer{padding-left:12px;padding-right:12px}section,.figures{padding:14px;border-radius:10px}\
        h1{font-size:21px}.figures{grid-template-columns:repeat(2,1fr)}.figures dd{font-size:22px}.pictures{grid-template-columns:repeat(2,1fr);gap:12px}\
        .pictures.wide{grid-template-columns:1fr}.plot text{font-size:16px}th,td{padding:5px 4px;font-size:13px}thead th{font-size:12px}td.share span{display:none}.plot text.note{font-size:15px}\
        tbody th{max-width:44vw;white-space:normal}}
        @media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#ccc}body{font-size:11px;-webkit-print-color-adjust:exact;\
        print-color-adjust:exact}section,.figures{border:0;padding:8px 0;margin:8px 0}.plots{grid-template-columns:1fr 1fr}.figures{grid-template-columns:repeat(6,1fr)}\
        .figures dd{font-size:18px}h2{break-after:avoid}.scroll{overflow:visible}figure,tr{break-inside:avoid}\
        .pictures{grid-template-columns:repeat(5,1fr)}.pictures.wide{grid-template-columns:repeat(3,1fr)}}
        """
}
