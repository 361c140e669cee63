import { framed, metal, paper, type Tones, wood } from './colours.ts'

export function yarn(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(38 200 200)"><rect x="194" y="34" width="11" height="290" rx="5" fill="${wood.main}"/><circle cx="199" cy="36" r="13" fill="${t.accent}"/></g><g transform="rotate(-36 200 200)"><rect x="194" y="40" width="11" height="290" rx="5" fill="${wood.dark}"/><circle cx="199" cy="42" r="13" fill="${t.accent}"/></g>
    <circle cx="196" cy="222" r="102" fill="${t.main}"/><path d="M262 144a102 102 0 0 1-110 170 130 130 0 0 0 110-170z" fill="${t.dark}"/>
    <g fill="none" stroke="${t.light}" stroke-width="7" stroke-linecap="round"><path d="M112 178q60 10 116 128M132 152q70 20 124 132M158 132q64 20 122 118"/><path d="M102 244q40-70 132-106M116 278q56-92 158-100"/></g>
    <path d="M252 308q40 28 70 6t36 4" fill="none" stroke="${t.main}" stroke-width="8" stroke-linecap="round"/>`,
    { x: 200, y: 328, width: 100 },
  )
}

export function paints(t: Tones): string {
  const blobs: [number, number, string][] = [
    [132, 172, '#ef8272'],
    [184, 136, '#f0c64a'],
    [244, 140, '#86ab84'],
    [280, 188, '#66a3d9'],
    [126, 230, '#9668a6'],
  ]
  return framed(
    t,
    `<path d="M82 214q0-112 122-116 120 2 122 98-2 54-58 52-42-6-38 30 4 50-44 50-104-6-104-114z" fill="${wood.light}"/><path d="M90 252q26 74 96 76 46-2 42-44 6 60-42 60-80-4-96-92z" fill="${wood.dark}"/>
    ${blobs.map(([x, y, fill]) => `<circle cx="${x}" cy="${y}" r="24" fill="${fill}"/><circle cx="${x - 7}" cy="${y - 8}" r="6" fill="#fff" opacity=".5"/>`).join('')}<circle cx="182" cy="272" r="18" fill="${t.tint}"/>
    <g transform="rotate(36 290 240)"><rect x="282" y="120" width="17" height="130" rx="8" fill="${t.main}"/><rect x="282" y="238" width="17" height="40" fill="${metal.main}"/><path d="M280 276h21q2 34-10 54-14-20-11-54z" fill="${t.dark}"/></g>`,
    { x: 196, y: 352, width: 96 },
  )
}

export function washi(t: Tones): string {
  const roll = (x: number, y: number, fill: string, dots: string) =>
    `<circle cx="${x}" cy="${y}" r="66" fill="${fill}"/><circle cx="${x}" cy="${y}" r="52" fill="none" stroke="${dots}" stroke-width="10" stroke-dasharray="10 14"/><circle cx="${x}" cy="${y}" r="34" fill="${paper}"/><circle cx="${x}" cy="${y}" r="24" fill="${t.tint}"/>`
  return framed(
    t,
    `${roll(200, 134, t.light, t.dark)}${roll(136, 246, t.main, paper)}${roll(266, 248, t.accent, t.main)}
    <path d="M266 314h94v-28l-8 7-8-7-8 7-8-7-10 7h-20q-12 12-32 21z" fill="${t.accent}"/>`,
    { x: 204, y: 328, width: 124 },
  )
}

export function blocks(t: Tones): string {
  const cube = (x: number, y: number, fill: string, side: string, top: string, mark: string) =>
    `<path d="M${x} ${y}l18-18h96l-18 18z" fill="${top}"/><path d="M${x + 96} ${y}l18-18v96l-18 18z" fill="${side}"/><rect x="${x}" y="${y}" width="96" height="96" fill="${fill}"/><g transform="translate(${x + 48} ${y + 48})" fill="${paper}">${mark}</g>`
  return framed(
    t,
    `${cube(84, 230, t.main, t.dark, t.light, '<path d="M0-30L30 24H-30z"/>')}${cube(204, 230, t.accent, '#c98f45', '#fdf0da', '<circle r="27"/>')}${cube(146, 116, '#66a3d9', '#437fb8', '#a2caee', '<path d="M0-32l9 22 24 2-18 16 6 24L0 19l-21 13 6-24-18-16 24-2z"/>')}`,
    { x: 204, y: 328, width: 130 },
  )
}

export function duck(t: Tones): string {
  return framed(
    t,
    `<path d="M78 232q26 8 54-14 70-12 104 8 46-4 84-50 22 66-12 112-30 40-108 40-112 0-122-96z" fill="${t.main}"/><path d="M318 178q20 64-10 110-30 40-108 40-70 0-102-38 96 40 164-6 46-38 56-106z" fill="${t.dark}"/>
    <circle cx="158" cy="156" r="72" fill="${t.main}"/><path d="M92 148q-44-8-52 14 10 22 54 20z" fill="#ee8b3a"/><path d="M42 164q30 4 54 0l-2 18q-42 2-52-18z" fill="#c96a22"/>
    <circle cx="136" cy="136" r="15" fill="#fff"/><circle cx="133" cy="137" r="9" fill="#27303d"/><path d="M188 244q50-24 92-2-30 46-84 30-14-12-8-28z" fill="${t.light}"/><path d="M134 96q10-26 34-22-8 10-2 20z" fill="${t.dark}"/>
    <path d="M176 104q26 12 34 38" fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round" opacity=".5"/>`,
    { x: 200, y: 330, width: 104 },
  )
}

export function rings(t: Tones): string {
  const ring = (y: number, half: number, fill: string) =>
    `<rect x="${200 - half}" y="${y}" width="${half * 2}" height="46" rx="23" fill="${fill}"/><rect x="${200 - half + 16}" y="${y + 9}" width="${half}" height="8" rx="4" fill="#fff" opacity=".4"/><path d="M${200 + half - 44} ${y}h21a23 23 0 0 1 0 46h-40q19-8 19-46z" fill="#000" opacity=".12"/>`
  return framed(
    t,
    `<rect x="192" y="64" width="16" height="240" fill="${wood.main}"/><path d="M88 326q0-26 26-26h172q26 0 26 26z" fill="${wood.main}"/><path d="M88 318h224v8H88z" fill="${wood.dark}"/>
    ${ring(256, 104, t.main)}${ring(208, 88, t.accent)}${ring(160, 72, t.light)}${ring(112, 56, t.dark)}<circle cx="200" cy="80" r="30" fill="#ef8272"/><circle cx="191" cy="71" r="8" fill="#fff" opacity=".5"/>`,
    { x: 200, y: 329, width: 122 },
  )
}

export function polish(t: Tones): string {
  const one = (x: number, y: number, fill: string, dark: string) =>
    `<rect x="${x - 20}" y="${y - 112}" width="40" height="96" rx="12" fill="#39424e"/><rect x="${x - 12}" y="${y - 104}" width="7" height="76" rx="3" fill="#fff" opacity=".3"/><rect x="${x - 42}" y="${y - 22}" width="84" height="104" rx="24" fill="${fill}"/><path d="M${x + 16} ${y - 22}h2a24 24 0 0 1 24 24v56a24 24 0 0 1-24 24h-20q18-8 18-28z" fill="${dark}"/><rect x="${x - 32}" y="${y - 8}" width="9" height="60" rx="4" fill="#fff" opacity=".55"/>`
  return framed(
    t,
    `${one(112, 230, t.light, t.main)}${one(288, 230, t.accent, '#e0b877')}${one(200, 244, t.main, t.dark)}`,
    { x: 200, y: 328, width: 136 },
  )
}

export function pump(t: Tones): string {
  return framed(
    t,
    `<path d="M138 70h72v20h-50q-12 0-22 16z" fill="${t.dark}"/><rect x="190" y="70" width="20" height="60" fill="${t.dark}"/><rect x="166" y="118" width="68" height="34" rx="8" fill="${t.light}"/>
    <rect x="128" y="148" width="144" height="178" rx="28" fill="${t.main}"/><path d="M234 148h10a28 28 0 0 1 28 28v122a28 28 0 0 1-28 28h-26q16-8 16-28z" fill="${t.dark}"/>
    <rect x="148" y="196" width="88" height="92" rx="10" fill="${paper}"/><path d="M192 208c22 26 22 36 12 46q-12 10-24 0c-10-10-10-20 12-46z" fill="${t.main}"/><path d="M168 272h48" stroke="${t.light}" stroke-width="7" stroke-linecap="round"/>
    <rect x="138" y="168" width="9" height="22" rx="4" fill="#fff" opacity=".5"/>`,
    { x: 200, y: 328, width: 80 },
  )
}

export function socks(t: Tones): string {
  const sock = (main: string, dark: string) =>
    `<path d="M0 0h78v128q44 14 62 40 12 34-24 42H60Q0 206 0 150z" fill="${main}"/><path d="M108 152q28 12 32 26 6 28-24 32-30-18-8-58zM0 138q4 60 52 70l18-42Q40 140 0 138z" fill="${dark}"/><path d="M0 0h78v34H0z" fill="${paper}"/><path d="M14 2v30M29 2v30M44 2v30M59 2v30" stroke="${dark}" stroke-width="4" opacity=".5"/><path d="M0 62h78M0 88h78" stroke="${dark}" stroke-width="10"/>`
  return framed(
    t,
    `<g transform="translate(182 76) rotate(8)">${sock(t.light, t.main)}</g><g transform="translate(92 100)">${sock(t.main, t.dark)}</g>`,
    { x: 200, y: 326, width: 122 },
  )
}
