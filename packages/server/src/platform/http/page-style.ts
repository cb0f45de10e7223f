// Style of the server-rendered pages: the colors of the console (`packages/web/src/styles.css`), light or dark by
// system preference, without scripts or external fonts. Pure.

const light = {
  canvas: '#f7f7f8',
  surface: '#ffffff',
  hover: '#f1f2f4',
  line: '#e3e5e8',
  'line-strong': '#cdd1d6',
  ink: '#16181d',
  soft: '#4d535e',
  accent: '#2457d6',
  'accent-soft': '#e9effc',
  'on-accent': '#ffffff',
  bad: '#b3261e',
  'bad-soft': '#fdeceb',
} as const

const dark: Readonly<Record<keyof typeof light, string>> = {
  canvas: '#0e1013',
  surface: '#15181c',
  hover: '#1f242a',
  line: '#272c33',
  'line-strong': '#3a414b',
  ink: '#e9ebee',
  soft: '#b0b7c1',
  accent: '#85a9ff',
  'accent-soft': '#1b2740',
  'on-accent': '#0b1430',
  bad: '#ff8d84',
  'bad-soft': '#351a19',
}

export const pageColours = { light, dark } as const

const declared = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')

export const pageStyle = `
:root{color-scheme:light dark;${declared(light)}}
@media (prefers-color-scheme:dark){:root{${declared(dark)}}}
*{box-sizing:border-box;border-color:var(--line)}
body{font:14px/1.5 "Inter Variable",Inter,system-ui,sans-serif;margin:0;background:var(--canvas);color:var(--ink);-webkit-font-smoothing:antialiased}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
::selection{background:var(--accent-soft)}
a{color:var(--accent)}
header{background:var(--surface);border-bottom:1px solid var(--line)}
nav{max-width:64rem;margin:auto;padding:.5rem 1.25rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center}
nav a{color:var(--soft);text-decoration:none;white-space:nowrap;padding:.25rem 0}nav a:hover{color:var(--ink);text-decoration:underline}
nav .brand{color:var(--ink);font-weight:600;display:flex;gap:.5rem;align-items:center;margin-right:auto}
main{max-width:36rem;margin:2rem auto;padding:.5rem 1.5rem 1.5rem;background:var(--surface);border:1px solid var(--line);border-radius:.5rem;overflow-wrap:break-word}
main.wide{max-width:64rem}
@media (max-width:40rem){main{margin:0;border-width:0 0 1px;border-radius:0}}
h1{font-size:1.25rem;line-height:1.3;font-weight:600}h2{font-size:1rem;font-weight:600;margin-top:2.5rem}h3{font-size:.9rem;font-weight:600}
label{display:block;margin:1rem 0 .25rem;font-weight:500}
input,select{font:inherit;width:100%;min-height:2.25rem;padding:.35rem .65rem;border:1px solid var(--line-strong);border-radius:.375rem;background:var(--surface);color:inherit}
input::placeholder{color:var(--soft)}
input[type=checkbox],input[type=radio]{width:1.5rem;min-height:1.5rem;margin:0;flex:none;accent-color:var(--accent)}
button{font:inherit;font-weight:500;min-height:2.25rem;padding:.35rem .9rem;border:1px solid var(--line-strong);border-radius:.375rem;background:var(--surface);color:inherit;cursor:pointer}
button:hover{background:var(--hover)}
button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}button.primary:hover{opacity:.9}
.code{font:600 1.75rem ui-monospace,"SF Mono","Cascadia Mono",Menlo,monospace;letter-spacing:.15em}
.muted{color:var(--soft)}
.error{color:var(--bad);background:var(--bad-soft);border-radius:.375rem;padding:.5rem .75rem}
.row{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:1.25rem}
code,pre{font-family:ui-monospace,"SF Mono","Cascadia Mono",Menlo,monospace;font-size:.92em}
pre{overflow:auto;padding:.75rem;background:var(--hover);border-radius:.375rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top;font-weight:400;overflow-wrap:anywhere}
th{color:var(--soft)}
fieldset{min-width:0;border:1px solid var(--line);border-radius:.5rem;margin:1.25rem 0;padding:.25rem 1rem .75rem}legend{font-weight:500;padding:0 .35rem}
.choice{display:flex;gap:.6rem;align-items:center;margin:.6rem 0 0}.choice label{margin:0}.choice .muted{font-weight:400}
.choice~details{margin-left:2.1rem;border:0;padding:0}
details{border-bottom:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer;min-height:1.5rem}
`
