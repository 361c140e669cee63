import { framed, metal, paper, type Tones, wood } from './colours.ts'

export function mug(t: Tones): string {
  return framed(
    t,
    `<path d="M165 108q-12-18 0-34t0-34M205 108q-12-18 0-34t0-34" fill="none" stroke="#fff" stroke-width="9" stroke-linecap="round" opacity=".75"/>
    <circle cx="278" cy="220" r="44" fill="none" stroke="${t.dark}" stroke-width="20"/>
    <path d="M112 134h160v158a34 34 0 0 1-34 34h-92a34 34 0 0 1-34-34z" fill="${t.main}"/>
    <path d="M238 134h34v158a34 34 0 0 1-34 34h-14q14-12 14-34z" fill="${t.dark}"/>
    <ellipse cx="192" cy="134" rx="80" ry="20" fill="${t.light}"/><ellipse cx="192" cy="136" rx="66" ry="14" fill="#6b4a33"/>
    <path d="M112 226h160v26h-160z" fill="${t.accent}" opacity=".9"/>
    <rect x="128" y="162" width="12" height="132" rx="6" fill="#fff" opacity=".35"/>`,
    { x: 192, y: 328, width: 88 },
  )
}

export function pan(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(-38 200 200)"><rect x="262" y="184" width="122" height="30" rx="15" fill="${wood.main}"/>
    <rect x="262" y="200" width="122" height="14" rx="7" fill="${wood.dark}"/><circle cx="364" cy="199" r="6" fill="${t.tint}"/>
    <rect x="244" y="186" width="34" height="26" rx="6" fill="${metal.dark}"/></g>
    <circle cx="174" cy="220" r="106" fill="${t.dark}"/><circle cx="174" cy="220" r="96" fill="${t.main}"/><circle cx="174" cy="220" r="82" fill="#3a4048"/>
    <path d="M112 214q4-42 46-40 22-24 50 0 34 10 26 44 8 34-30 40-24 22-48 4-44 2-44-48z" fill="${paper}"/>
    <circle cx="168" cy="214" r="26" fill="#f4b93f"/><circle cx="160" cy="205" r="8" fill="#fbdc8c"/>
    <path d="M96 196a82 82 0 0 1 46-48" fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round" opacity=".3"/>`,
    { x: 178, y: 338, width: 96 },
  )
}

export function utensils(t: Tones): string {
  return framed(
    t,
    `<g transform="rotate(-13 160 250)"><rect x="150" y="110" width="14" height="140" fill="${wood.main}"/><ellipse cx="157" cy="92" rx="26" ry="38" fill="${wood.main}"/><ellipse cx="157" cy="94" rx="16" ry="26" fill="${wood.dark}" opacity=".5"/></g>
    <rect x="194" y="110" width="12" height="130" fill="${metal.dark}"/><path d="M170 52h60v58q0 20-20 20h-20q-20 0-20-20z" fill="${t.accent}"/>
    <path d="M184 66v44M200 66v46M216 66v44" stroke="${t.dark}" stroke-width="6" stroke-linecap="round" opacity=".45"/>
    <g transform="rotate(15 246 250)"><rect x="240" y="146" width="12" height="100" fill="${metal.main}"/>
    <path d="M246 150c-40-30-30-96 0-96s40 66 0 96zM246 150c-16-30-12-96 0-96s16 66 0 96z" fill="none" stroke="${metal.dark}" stroke-width="5"/></g>
    <path d="M122 196h156l-12 116a16 16 0 0 1-16 14h-100a16 16 0 0 1-16-14z" fill="${t.main}"/>
    <path d="M242 196h36l-12 116a16 16 0 0 1-16 14h-22q10-6 10-18z" fill="${t.dark}"/>
    <rect x="114" y="188" width="172" height="22" rx="11" fill="${t.light}"/><path d="M128 250h144l-3 26H131z" fill="${t.light}" opacity=".6"/>`,
    { x: 200, y: 328, width: 80 },
  )
}

export function jar(t: Tones): string {
  const layers = [t.main, t.accent, t.dark, t.light]
    .map((fill, index) => `<rect x="128" y="${196 + index * 30}" width="144" height="31" fill="${fill}"/>`)
    .join('')
  return framed(
    t,
    `<rect x="116" y="124" width="168" height="204" rx="34" fill="#fff" opacity=".72"/>
    <clipPath id="a"><rect x="128" y="150" width="144" height="166" rx="24"/></clipPath><g clip-path="url(#a)">${layers}</g>
    <rect x="130" y="92" width="140" height="40" rx="8" fill="${wood.main}"/><rect x="130" y="114" width="140" height="18" rx="8" fill="${wood.dark}"/>
    <rect x="182" y="72" width="36" height="26" rx="10" fill="${wood.light}"/>
    <rect x="158" y="216" width="84" height="56" rx="8" fill="${paper}"/><path d="M174 236h52M182 252h36" stroke="${t.dark}" stroke-width="6" stroke-linecap="round"/>
    <rect x="136" y="150" width="11" height="130" rx="5" fill="#fff" opacity=".6"/>`,
  )
}

export function candle(t: Tones): string {
  return framed(
    t,
    `<circle cx="200" cy="96" r="54" fill="#fff3c9" opacity=".7"/>
    <path d="M200 52c26 32 28 50 14 64q-14 12-28 0c-14-14-12-32 14-64z" fill="#f6a93b"/><path d="M200 82c12 16 12 26 6 34h-12c-6-8-6-18 6-34z" fill="#fde7a4"/>
    <rect x="197" y="112" width="6" height="30" fill="#5b4636"/>
    <rect x="116" y="146" width="168" height="180" rx="22" fill="${t.main}"/><path d="M250 146h12a22 22 0 0 1 22 22v136a22 22 0 0 1-22 22h-30q18-6 18-24z" fill="${t.dark}"/>
    <ellipse cx="200" cy="148" rx="80" ry="15" fill="${t.light}"/><ellipse cx="200" cy="148" rx="62" ry="9" fill="${paper}"/>
    <rect x="146" y="204" width="94" height="78" rx="6" fill="${paper}"/>
    <path d="M193 266v-40M193 240q-22 0-22-20 22 0 22 20zM193 252q22 0 22-20-22 0-22 20z" fill="${t.light}" stroke="${t.dark}" stroke-width="4"/>`,
    { x: 200, y: 328, width: 96 },
  )
}

export function bottle(t: Tones): string {
  return framed(
    t,
    `<path d="M176 70q0-34 28-34t28 34" fill="none" stroke="${t.dark}" stroke-width="12"/>
    <rect x="164" y="62" width="72" height="46" rx="10" fill="#39424e"/><rect x="164" y="88" width="72" height="20" fill="#262d37"/>
    <path d="M160 108h80q24 18 24 50v146a24 24 0 0 1-24 24h-80a24 24 0 0 1-24-24V158q0-32 24-50z" fill="${t.main}"/>
    <path d="M222 108h18q24 18 24 50v146a24 24 0 0 1-24 24h-18q14-8 14-26V150q0-28-14-42z" fill="${t.dark}"/>
    <path d="M136 196q32-22 64 0t64 0v74q-32 22-64 0t-64 0z" fill="${t.light}" opacity=".75"/>
    <path d="M184 214q-20 26 0 38 20 0 20-18 0-10-20-20z" fill="${paper}"/><rect x="148" y="146" width="12" height="44" rx="6" fill="#fff" opacity=".5"/>`,
    { x: 200, y: 330, width: 72 },
  )
}
