import { framed, metal, paper, type Tones, wood } from './colours.ts'

const bonePath = 'M-62-22a30 30 0 1 0-34 22 30 30 0 1 0 34 22h124a30 30 0 1 0 34-22 30 30 0 1 0-34-22z'

export function bowl(t: Tones): string {
  return framed(
    t,
    `<g fill="#a9744a"><circle cx="140" cy="176" r="17"/><circle cx="172" cy="162" r="18"/><circle cx="232" cy="160" r="19"/><circle cx="262" cy="176" r="16"/></g><g fill="#c48c5c"><circle cx="202" cy="156" r="20"/><circle cx="156" cy="182" r="15"/><circle cx="222" cy="180" r="17"/><circle cx="188" cy="180" r="15"/></g>
    <path d="M104 188h192l34 126a10 10 0 0 1-10 12H80a10 10 0 0 1-10-12z" fill="${t.main}"/><path d="M258 188h38l34 126a10 10 0 0 1-10 12h-34z" fill="${t.dark}"/>
    <rect x="92" y="178" width="216" height="22" rx="11" fill="${t.light}"/>
    <path d="${bonePath}" transform="translate(192 262) scale(.62)" fill="${paper}"/>`,
    { x: 200, y: 328, width: 132 },
  )
}

export function bone(t: Tones): string {
  return framed(
    t,
    `<g transform="translate(204 208) rotate(-32) scale(1.28)"><path d="${bonePath}" fill="${t.dark}" transform="translate(0 9)"/><path d="${bonePath}" fill="${t.main}"/>
    <g fill="${t.light}"><circle cx="-40" cy="-6" r="6"/><circle cx="-20" cy="8" r="6"/><circle cx="0" cy="-6" r="6"/><circle cx="20" cy="8" r="6"/><circle cx="40" cy="-6" r="6"/></g><path d="M-104-30a18 18 0 0 1 12-8" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".6"/></g>`,
    { x: 200, y: 330, width: 92 },
  )
}

export function fish(t: Tones): string {
  return framed(
    t,
    `<path d="M70 50q70 10 96 66" fill="none" stroke="${wood.main}" stroke-width="9" stroke-linecap="round"/><path d="M166 116q14 24 6 46" fill="none" stroke="#7d8896" stroke-width="4"/>
    <path d="M286 222q36-62 66-58-18 50-2 112-34 4-64-38z" fill="${t.dark}"/><path d="M180 160q42-44 74 6z" fill="${t.dark}"/>
    <path d="M58 232q56-88 144-76 66 12 98 70-36 76-110 82-84 4-132-76z" fill="${t.main}"/><path d="M64 244q60 38 220 12-36 48-94 52-82 4-126-64z" fill="${t.light}"/>
    <path d="M152 190q24 40-4 92" fill="none" stroke="${t.dark}" stroke-width="7" stroke-linecap="round"/><path d="M196 212q16 18 0 36M226 210q16 18 0 36M254 210q14 16 0 34" fill="none" stroke="${t.accent}" stroke-width="8" stroke-linecap="round"/>
    <circle cx="112" cy="218" r="17" fill="#fff"/><circle cx="110" cy="219" r="9" fill="#27303d"/><path d="M68 248q18 8 32 2" fill="none" stroke="${t.dark}" stroke-width="5" stroke-linecap="round"/>`,
    { x: 196, y: 334, width: 104 },
  )
}

export function wateringCan(t: Tones): string {
  return framed(
    t,
    `<path d="M258 178q78-10 72 62-4 44-68 46" fill="none" stroke="${t.dark}" stroke-width="18"/><path d="M142 270L70 168" stroke="${t.main}" stroke-width="26"/>
    <path d="M40 174l56-42 14 18-56 42z" fill="${t.dark}"/><g fill="#66a3d9"><circle cx="40" cy="204" r="6"/><circle cx="56" cy="226" r="6"/><circle cx="32" cy="238" r="6"/><circle cx="52" cy="258" r="5"/></g>
    <path d="M132 160h140v150a16 16 0 0 1-16 16H148a16 16 0 0 1-16-16z" fill="${t.main}"/><path d="M238 160h34v150a16 16 0 0 1-16 16h-30q12-6 12-18z" fill="${t.dark}"/>
    <ellipse cx="202" cy="160" rx="70" ry="17" fill="${t.light}"/><ellipse cx="202" cy="161" rx="56" ry="11" fill="${t.dark}"/><path d="M156 158q2-72 46-72t46 72" fill="none" stroke="${t.dark}" stroke-width="13"/>
    <g fill="${t.accent}"><circle cx="188" cy="232" r="13"/><circle cx="212" cy="232" r="13"/><circle cx="188" cy="256" r="13"/><circle cx="212" cy="256" r="13"/></g><circle cx="200" cy="244" r="12" fill="${t.dark}"/>`,
    { x: 206, y: 328, width: 92 },
  )
}

export function plant(t: Tones): string {
  return framed(
    t,
    `<g fill="#4f9463"><path d="M200 220q-84-20-92-106 82 8 92 106z"/><path d="M200 220q84-20 92-106-82 8-92 106z"/></g><path d="M200 226q-52-80 0-172 52 92 0 172z" fill="#6bb07c"/>
    <path d="M200 224v-130M194 214q-40-40-62-74M206 214q40-40 62-74" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" opacity=".45"/>
    <path d="M126 224h148l-16 92a12 12 0 0 1-12 10h-92a12 12 0 0 1-12-10z" fill="${t.main}"/><path d="M236 224h38l-16 92a12 12 0 0 1-12 10h-26z" fill="${t.dark}"/>
    <rect x="114" y="204" width="172" height="34" rx="8" fill="${t.light}"/><rect x="240" y="204" width="46" height="34" rx="8" fill="${t.main}"/>
    <path d="M142 270l18 18 18-18 18 18 18-18 18 18 18-18" fill="none" stroke="${t.accent}" stroke-width="7" stroke-linejoin="round"/>`,
    { x: 200, y: 328, width: 74 },
  )
}

export function lights(t: Tones): string {
  const glow = [t.main, t.accent, t.light, t.main, t.accent, t.light]
  const spots: [number, number][] = [
    [86, 148],
    [146, 176],
    [212, 178],
    [106, 262],
    [176, 290],
    [254, 278],
  ]
  const bulbs = spots.map(
    ([x, y], index) =>
      `<circle cx="${x}" cy="${y + 28}" r="34" fill="#fff6cf" opacity=".6"/><rect x="${x - 9}" y="${y - 8}" width="18" height="20" rx="4" fill="#39424e"/><path d="M${x - 9} ${y + 10}q-14 20 0 34 9 8 18 0 14-14 0-34z" fill="${glow[index]}"/><circle cx="${x - 4}" cy="${y + 26}" r="4" fill="#fff" opacity=".8"/>`,
  )
  return framed(
    t,
    `<path d="M36 112q110 96 208 50 70-34 116-64M364 98q10 40-44 120-70 88-160 58-70-24-120-70" fill="none" stroke="#4a5563" stroke-width="6"/>${bulbs.join('')}`,
    { x: 196, y: 352, width: 84 },
  )
}

export function dumbbell(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(-18 200 220)"><rect x="128" y="206" width="144" height="30" rx="6" fill="${metal.main}"/><rect x="128" y="222" width="144" height="14" rx="6" fill="${metal.dark}"/>
    <path d="M168 206v30M184 206v30M200 206v30M216 206v30M232 206v30" stroke="${metal.light}" stroke-width="4"/>
    <rect x="98" y="146" width="44" height="150" rx="16" fill="${t.main}"/><rect x="124" y="146" width="18" height="150" rx="9" fill="${t.dark}"/><rect x="66" y="170" width="38" height="102" rx="14" fill="${t.light}"/>
    <rect x="258" y="146" width="44" height="150" rx="16" fill="${t.main}"/><rect x="284" y="146" width="18" height="150" rx="9" fill="${t.dark}"/><rect x="296" y="170" width="38" height="102" rx="14" fill="${t.light}"/></g>`,
    { x: 200, y: 332, width: 124 },
  )
}

export function mat(t: Tones): string {
  return framed(
    t,
    `<path d="M88 246h230q34 0 34 36t-34 44H110z" fill="${t.light}"/>
    <rect x="98" y="150" width="224" height="150" fill="${t.main}"/><ellipse cx="322" cy="225" rx="34" ry="75" fill="${t.dark}"/><ellipse cx="98" cy="225" rx="34" ry="75" fill="${t.main}"/>
    <path d="M98 150h224q-20 6-28 30H70q8-24 28-30z" fill="${t.light}" opacity=".55"/>
    <g fill="none" stroke="${t.light}" stroke-width="6"><ellipse cx="322" cy="225" rx="22" ry="54"/><ellipse cx="322" cy="225" rx="10" ry="32"/></g>
    <path d="M148 150h22q-30 74 0 150h-22q-30-76 0-150zM244 150h22q-30 74 0 150h-22q-30-76 0-150z" fill="${t.accent}"/><path d="M148 152q50-92 106 0" fill="none" stroke="${t.accent}" stroke-width="12"/>`,
    { x: 214, y: 330, width: 136 },
  )
}

export function tote(t: Tones): string {
  return framed(
    t,
    `<path d="M146 160q0-96 54-96t54 96" fill="none" stroke="${t.dark}" stroke-width="15"/>
    <path d="M98 142h204l18 172a12 12 0 0 1-12 12H92a12 12 0 0 1-12-12z" fill="${t.main}"/><path d="M262 142h40l18 172a12 12 0 0 1-12 12h-40z" fill="${t.dark}"/><path d="M98 142h204l3 26H95z" fill="${t.light}"/>
    <circle cx="186" cy="240" r="46" fill="${t.accent}"/><path d="M140 240a46 46 0 0 1 92 0z" fill="${paper}"/><path d="M146 240h80M186 194v92M156 208l60 64M216 208l-60 64" stroke="${t.main}" stroke-width="6"/>`,
    { x: 200, y: 328, width: 122 },
  )
}
