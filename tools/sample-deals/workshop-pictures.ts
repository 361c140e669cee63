import { framed, metal, type Tones } from './colours.ts'

export function screwdriver(t: Tones): string {
  const one = (turn: number, handle: string, dark: string, tip: string) =>
    `<g transform="rotate(${turn} 200 210)"><rect x="192" y="176" width="16" height="128" fill="${metal.main}"/><rect x="201" y="176" width="7" height="128" fill="${metal.dark}"/>${tip}<path d="M174 66q0-22 26-22t26 22v92q0 22-14 26h-24q-14-4-14-26z" fill="${handle}"/><path d="M208 45q18 5 18 21v92q0 22-14 26h-12q10-8 10-28V66q0-14-2-21z" fill="${dark}"/><path d="M184 76v76" stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".4"/></g>`
  return framed(
    t,
    `${one(40, t.accent, '#c98f45', `<path d="M190 304h20l-5 28h-10z" fill="${metal.dark}"/>`)}${one(-34, t.main, t.dark, `<path d="M192 304h16l-8 30z" fill="${metal.dark}"/>`)}`,
    { x: 200, y: 336, width: 108 },
  )
}

export function tapeMeasure(t: Tones): string {
  const marks = [296, 314, 332, 350]
    .map((x, index) => `<path d="M${x} 290v${index % 2 ? 14 : 22}" stroke="#5b4a22" stroke-width="4"/>`)
    .join('')
  return framed(
    t,
    `<path d="M226 290h140v34H226z" fill="#f7d25c"/>${marks}<rect x="360" y="284" width="12" height="50" rx="3" fill="${metal.dark}"/>
    <path d="M92 184a82 82 0 0 1 82-82h34a82 82 0 0 1 82 82v124a18 18 0 0 1-18 18H110a18 18 0 0 1-18-18z" fill="${t.main}"/><path d="M240 109a82 82 0 0 1 50 75v124a18 18 0 0 1-18 18h-40z" fill="${t.dark}"/>
    <circle cx="186" cy="208" r="66" fill="${t.dark}"/><circle cx="186" cy="208" r="54" fill="${t.accent}"/><circle cx="186" cy="208" r="20" fill="${t.main}"/><path d="M186 168v-2M226 208h2M186 248v2M146 208h-2" stroke="${t.dark}" stroke-width="9" stroke-linecap="round"/>
    <rect x="112" y="128" width="46" height="11" rx="5" fill="#fff" opacity=".4" transform="rotate(-34 135 134)"/>`,
    { x: 214, y: 330, width: 136 },
  )
}

export function flashlight(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(-24 200 210)"><path d="M112 168L20 108v204l92-60z" fill="#fff0ae" opacity=".85"/>
    <path d="M104 148h34l42 28v68l-42 28h-34q-10-62 0-124z" fill="${t.dark}"/><ellipse cx="106" cy="210" rx="14" ry="62" fill="#ffe28a"/><rect x="176" y="176" width="170" height="68" rx="10" fill="${t.main}"/><path d="M176 220h170v14a10 10 0 0 1-10 10H176z" fill="${t.dark}"/>
    <path d="M252 176v68M268 176v68M284 176v68M300 176v68" stroke="${t.light}" stroke-width="6"/><rect x="198" y="164" width="34" height="20" rx="8" fill="${t.accent}"/><rect x="338" y="182" width="24" height="56" rx="8" fill="${t.dark}"/></g>`,
    { x: 220, y: 328, width: 110 },
  )
}

export function hammer(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(32 200 200)"><rect x="186" y="118" width="28" height="120" fill="#cf9f6d"/><rect x="202" y="118" width="12" height="120" fill="#a87b4e"/><path d="M182 214h36l6 118q0 20-24 20t-24-20z" fill="${t.main}"/><path d="M204 214h14l6 118q0 20-24 20 12-6 10-26z" fill="${t.dark}"/><path d="M182 246h37M181 266h39M180 286h41" stroke="${t.light}" stroke-width="6"/>
    <path d="M128 66h60q40-6 84-34-8 62-58 92h-28l-6-10h-52z" fill="${metal.main}"/><path d="M180 100q54-6 92-68-8 62-58 92h-28l-6-10z" fill="${metal.dark}"/><rect x="108" y="56" width="32" height="68" rx="8" fill="#747f8b"/></g>`,
    { x: 190, y: 338, width: 96 },
  )
}
