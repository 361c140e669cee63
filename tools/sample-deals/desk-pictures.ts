import { framed, metal, paper, type Tones, wood } from './colours.ts'

export function notebook(t: Tones): string {
  const rings = [92, 130, 168, 206, 244, 282]
    .map((y) => `<rect x="98" y="${y}" width="34" height="11" rx="5" fill="${metal.dark}"/>`)
    .join('')
  return framed(
    t,
    `<g transform="rotate(-7 200 200)"><rect x="126" y="76" width="174" height="246" rx="10" fill="${paper}"/><rect x="120" y="70" width="172" height="246" rx="12" fill="${t.main}"/>
    <path d="M120 82a12 12 0 0 1 12-12h18v246h-18a12 12 0 0 1-12-12z" fill="${t.dark}"/>${rings}
    <rect x="176" y="112" width="90" height="56" rx="8" fill="${paper}"/><path d="M192 132h58M192 150h36" stroke="${t.dark}" stroke-width="6" stroke-linecap="round"/>
    <rect x="262" y="70" width="11" height="246" fill="${t.accent}"/></g>
    <g transform="rotate(24 300 240)"><rect x="292" y="140" width="20" height="152" fill="${t.accent}"/><rect x="305" y="140" width="7" height="152" fill="#000" opacity=".12"/><rect x="292" y="128" width="20" height="22" rx="6" fill="${t.light}"/><path d="M292 292h20l-10 32z" fill="${wood.light}"/><path d="M298 312h8l-4 12z" fill="#333"/></g>`,
    { x: 210, y: 334, width: 104 },
  )
}

export function pencils(t: Tones): string {
  const one = (x: number, top: number, turn: number, fill: string) =>
    `<g transform="rotate(${turn} ${x} 260)"><rect x="${x - 11}" y="${top}" width="22" height="160" fill="${fill}"/><path d="M${x - 11} ${top}l11-32 11 32z" fill="${wood.light}"/><path d="M${x - 4} ${top - 20}l4-12 4 12z" fill="#39424e"/><path d="M${x + 3} ${top}h8v160h-8z" fill="#000" opacity=".13"/></g>`
  return framed(
    t,
    `${one(160, 112, -12, t.accent)}${one(192, 92, -3, t.dark)}${one(220, 104, 5, '#ef8272')}${one(244, 124, 14, '#66a3d9')}
    <path d="M124 188h152l-10 128a10 10 0 0 1-10 10H144a10 10 0 0 1-10-10z" fill="${t.main}"/><path d="M240 188h36l-10 128a10 10 0 0 1-10 10h-22z" fill="${t.dark}"/>
    <rect x="116" y="180" width="168" height="20" rx="10" fill="${t.light}"/><path d="M132 288l5-40 22-22 30 30 34-44 48 54-2 22z" fill="${t.light}" opacity=".55"/>`,
    { x: 200, y: 328, width: 78 },
  )
}

export function lamp(t: Tones): string {
  return framed(
    t,
    `<path d="M132 170l-52 150h210l-66-170z" fill="#fff2b8" opacity=".75"/>
    <path d="M282 314L246 208l-44-58" fill="none" stroke="${t.dark}" stroke-width="14" stroke-linejoin="round"/><circle cx="246" cy="208" r="14" fill="${t.light}"/>
    <path d="M126 172q-8-60 44-80 50-14 74 36l-14 14z" fill="${t.main}"/><path d="M206 98q28 6 38 30l-14 14-36 12q22-24 12-56z" fill="${t.dark}"/>
    <ellipse cx="178" cy="158" rx="55" ry="15" transform="rotate(-18 178 158)" fill="#ffe28a"/>
    <path d="M212 326q0-26 70-26t70 26z" fill="${t.main}"/><path d="M290 300q62 2 62 26h-42q0-20-20-26z" fill="${t.dark}"/>`,
    { x: 280, y: 328, width: 82 },
  )
}

export function clock(t: Tones): string {
  const ticks = [0, 30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330]
    .map((turn) => `<rect x="197" y="136" width="6" height="14" rx="3" transform="rotate(${turn} 200 214)"/>`)
    .join('')
  return framed(
    t,
    `<path d="M138 300l-22 30M262 300l22 30" stroke="${t.dark}" stroke-width="18" stroke-linecap="round"/>
    <path d="M104 138a40 40 0 0 1 62-44zM296 138a40 40 0 0 0-62-44z" fill="${t.dark}"/><path d="M176 96v-14q0-16 24-16t24 16v14" fill="none" stroke="${metal.dark}" stroke-width="12"/>
    <circle cx="200" cy="214" r="112" fill="${t.main}"/><path d="M262 121a112 112 0 0 1-102 198 120 120 0 0 0 102-198z" fill="${t.dark}"/>
    <circle cx="200" cy="214" r="88" fill="${paper}"/><g fill="${t.dark}">${ticks}</g>
    <path d="M200 214v-52M200 214l38 24" stroke="#39424e" stroke-width="10" stroke-linecap="round"/><path d="M200 214l-26 44" stroke="${t.main}" stroke-width="5" stroke-linecap="round"/><circle cx="200" cy="214" r="9" fill="${t.main}"/>`,
    { x: 200, y: 336, width: 104 },
  )
}

export function cable(t: Tones): string {
  return framed(
    t,
    `<g fill="none" stroke-width="15"><path d="M106 214a94 94 0 1 1 188 0 94 94 0 1 1-188 0zM124 226a78 78 0 1 1 156-4 78 78 0 1 1-156 4z" stroke="${t.main}"/>
    <path d="M136 196a72 72 0 0 1 128-12" stroke="${t.light}" stroke-width="5"/><path d="M124 266q-40 20-40-40V150" stroke="${t.dark}"/><path d="M284 262q36 16 36-30V170" stroke="${t.dark}"/></g>
    <rect x="178" y="282" width="40" height="46" rx="10" fill="#39424e"/><path d="M178 300h40" stroke="#566170" stroke-width="5"/>
    <rect x="66" y="106" width="36" height="58" rx="10" fill="${t.dark}"/><rect x="72" y="72" width="24" height="36" rx="3" fill="${metal.main}"/><path d="M78 82h5v10h-5zM85 82h5v10h-5z" fill="#5b6673"/>
    <rect x="304" y="122" width="32" height="56" rx="10" fill="${t.dark}"/><rect x="309" y="96" width="22" height="28" rx="9" fill="${metal.main}"/><rect x="314" y="106" width="12" height="5" rx="2" fill="#5b6673"/>`,
    { x: 200, y: 336, width: 92 },
  )
}

export function charger(t: Tones): string {
  return framed(
    t,
    `<rect x="160" y="58" width="16" height="62" rx="4" fill="${metal.main}"/><rect x="224" y="58" width="16" height="62" rx="4" fill="${metal.dark}"/>
    <rect x="110" y="110" width="180" height="214" rx="34" fill="${t.main}"/><path d="M246 110h10a34 34 0 0 1 34 34v146a34 34 0 0 1-34 34h-26q16-10 16-34z" fill="${t.dark}"/>
    <rect x="134" y="132" width="10" height="120" rx="5" fill="#fff" opacity=".35"/>
    <path d="M202 142l-26 46h20l-8 36 30-48h-20z" fill="${t.accent}"/>
    <rect x="152" y="248" width="30" height="46" rx="5" fill="#232b36"/><rect x="160" y="256" width="8" height="30" fill="#e8edf2"/>
    <rect x="204" y="248" width="24" height="46" rx="12" fill="#232b36"/><rect x="213" y="258" width="6" height="26" rx="3" fill="#e8edf2"/>`,
    { x: 200, y: 328, width: 94 },
  )
}

export function earbuds(t: Tones): string {
  const bud = (x: number, turn: number) =>
    `<g transform="rotate(${turn} ${x} 200)"><rect x="${x - 11}" y="112" width="22" height="104" rx="11" fill="${paper}"/><rect x="${x + 3}" y="120" width="8" height="96" rx="4" fill="${metal.light}"/><path d="M${x - 30} 104a30 30 0 0 1 60 0q0 30-30 34-30-4-30-34z" fill="${paper}"/><path d="M${x + 12} 78a30 30 0 0 1-10 58q28-4 28-32 0-18-18-26z" fill="${metal.light}"/><rect x="${x - 16}" y="92" width="18" height="6" rx="3" fill="#566170"/></g>`
  return framed(
    t,
    `${bud(158, -12)}${bud(242, 12)}
    <path d="M88 196h224v56a74 74 0 0 1-74 74h-76a74 74 0 0 1-74-74z" fill="${t.main}"/><path d="M268 196h44v56a74 74 0 0 1-74 74h-26q56-14 56-74z" fill="${t.dark}"/>
    <rect x="80" y="188" width="240" height="20" rx="10" fill="${t.light}"/><rect x="182" y="238" width="36" height="9" rx="4" fill="${t.accent}"/><rect x="104" y="220" width="10" height="44" rx="5" fill="#fff" opacity=".35"/>`,
    { x: 200, y: 330, width: 96 },
  )
}
