import { expect, test } from 'vitest'
import { textOf } from './bytes.ts'

async function decode(bytes: Buffer, piece: number, stated = '') {
  async function* source() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  let [text, encoding] = ['', '']
  const onEncoding = (name: string) => {
    encoding = name
  }
  for await (const part of textOf(source(), { onEncoding, encoding: stated })) text += part
  return { text, encoding }
}

/** The text of each, and its bytes in base64: no other encoding than UTF-8 is written by Node itself. */
const others: ReadonlyArray<[encoding: string, text: string, bytes: string]> = [
  [
    'Shift_JIS',
    'asin,タイトル,価格\nB0ABCD1231,折りたたみ式ランタン 防水 キャンプ用品,1280\nB0ABCD1232,ステンレス製マグカップ 保温,2480\n',
    'YXNpbiyDXoNDg2eDiyyJv4ppCkIwQUJDRDEyMzEskNyC6IK9gr2C3Y6ug4mDk4Neg5MglmiQhSCDTIODg5ODdpdwlWksMTI4MApCMEFCQ0QxMjMyLINYg2WDk4OMg1iQu4N9g0+DSoNig3YglduJtywyNDgwCg==',
  ],
  [
    'GB18030',
    'asin,商品名称,价格\nB0ABCD1231,折叠露营灯 防水 户外用品,128\nB0ABCD1232,不锈钢保温杯 便携,248\n',
    'YXNpbizJzMa3w/uzxiy827jxCkIwQUJDRDEyMzEs1du1/sK206q1xiC3wMuuILunzeLTw8a3LDEyOApCMEFCQ0QxMjMyLLK70OK41rGjzsKxrSCx49CvLDI0OAo=',
  ],
  [
    'Big5',
    'asin,商品名稱,價格\nB0ABCD1231,摺疊露營燈 防水 戶外用品,12\n',
    'YXNpbiyw06t+ple62Sy7+a7mCkIwQUJDRDEyMzEsulDFfMVTwOe/TyCovqT0IKThpX6lzqt+LDEyCg==',
  ],
  [
    'EUC-JP',
    'asin,タイトル,価格\nB0ABCD1231,折りたたみ式ランタン 防水,1280\n',
    'YXNpbiylv6Wkpcil6yyywbPKCkIwQUJDRDEyMzEswN6k6qS/pL+k37ywpeml86W/pfMgy8m/5SwxMjgwCg==',
  ],
  [
    'windows-1250',
    'asin,tytuł,cena\nB0ABCD1231,Składana latarka kempingowa – żółta,12\nB0ABCD1232,Zestaw kluczy nasadowych część druga,24\nB0ABCD1233,Łódź źródło świąteczne książki,5\n',
    'YXNpbix0eXR1syxjZW5hCkIwQUJDRDEyMzEsU2uzYWRhbmEgbGF0YXJrYSBrZW1waW5nb3dhIJYgv/OzdGEsMTIKQjBBQkNEMTIzMixaZXN0YXcga2x1Y3p5IG5hc2Fkb3d5Y2ggY3rqnOYgZHJ1Z2EsMjQKQjBBQkNEMTIzMyyj82SfIJ9y82SzbyCcd2m5dGVjem5lIGtzabm/a2ksNQo=',
  ],
  [
    'windows-1251',
    'asin,название,цена\nB0ABCD1231,Складной фонарь для кемпинга,12\nB0ABCD1232,Кружка из нержавеющей стали,24\n',
    'YXNpbizt4Ofi4O3o5Sz25e3gCkIwQUJDRDEyMzEs0err4OTt7ukg9O7t4PD8IOTr/yDq5ezv6O3j4CwxMgpCMEFCQ0QxMjMyLMrw8+bq4CDo5yDt5fDm4OLl/vnl6SDx8uDr6CwyNAo=',
  ],
]
const westerns: ReadonlyArray<[language: string, text: string, bytes: string]> = [
  [
    'German',
    'asin,titel,preis\nB0ABCD1231,Taschenlampe für draußen, größer – schöner,"12,50 €"\nB0ABCD1232,Küchengerät weiß,24\n',
    'YXNpbix0aXRlbCxwcmVpcwpCMEFCQ0QxMjMxLFRhc2NoZW5sYW1wZSBm/HIgZHJhdd9lbiwgZ3L232VyIJYgc2No9m5lciwiMTIsNTAggCIKQjBBQkNEMTIzMixL/GNoZW5nZXLkdCB3ZWnfLDI0Cg==',
  ],
  [
    'French',
    'asin,titre,prix\nB0ABCD1231,Lampe pliante d’été à poignée façonnée,12\nB0ABCD1232,Théière émaillée où ça,24 €\n',
    'YXNpbix0aXRyZSxwcml4CkIwQUJDRDEyMzEsTGFtcGUgcGxpYW50ZSBkkul06SDgIHBvaWdu6WUgZmHnb25u6WUsMTIKQjBBQkNEMTIzMixUaOlp6HJlIOltYWlsbOllIG/5IOdhLDI0IIAK',
  ],
  [
    'Spanish',
    'asin,título,precio\nB0ABCD1231,Linterna pequeña para el niño,12\nB0ABCD1232,Batería portátil según el año,24\n',
    'YXNpbix07XR1bG8scHJlY2lvCkIwQUJDRDEyMzEsTGludGVybmEgcGVxdWXxYSBwYXJhIGVsIG5p8W8sMTIKQjBBQkNEMTIzMixCYXRlcu1hIHBvcnThdGlsIHNlZ/puIGVsIGHxbywyNAo=',
  ],
  [
    'Swedish',
    'asin,titel,pris\nB0ABCD1231,Kaffebryggare för åtta koppar på väg,12\nB0ABCD1232,Sänglampa blå grön,12\n',
    'YXNpbix0aXRlbCxwcmlzCkIwQUJDRDEyMzEsS2FmZmVicnlnZ2FyZSBm9nIg5XR0YSBrb3BwYXIgcOUgduRnLDEyCkIwQUJDRDEyMzIsU+RuZ2xhbXBhIGJs5SBncvZuLDEyCg==',
  ],
  [
    'English with signs',
    'asin,title,price\nB0ABCD1231,Café Set™ 5½ “big”,£12\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\nB0ABCD1232,Lamp 40°,£24\n',
    'YXNpbix0aXRsZSxwcmljZQpCMEFCQ0QxMjMxLENhZukgU2V0mSA1vSCTYmlnlCyjMTIKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQKQjBBQkNEMTIzMixMYW1wIDQwsCyjMjQK',
  ],
]

test.each(others)('%s is recognised, however it is cut', async (encoding, text, base64) => {
  const bytes = Buffer.from(base64, 'base64')
  for (const piece of [1, 7, 100_000]) expect(await decode(bytes, piece)).toEqual({ text, encoding })
  const long = Buffer.concat(Array(1_000).fill(bytes))
  expect(await decode(long, 5_001)).toEqual({ text: text.repeat(1_000), encoding })
})

test.each(westerns)('%s in Windows-1252 stays that', async (_language, text, base64) => {
  const bytes = Buffer.from(base64, 'base64')
  for (const piece of [1, 7, 100_000]) expect(await decode(bytes, piece)).toEqual({ text, encoding: '' })
  expect(await decode(Buffer.concat(Array(1_000).fill(bytes)), 5_001)).toEqual({
    text: text.repeat(1_000),
    encoding: '',
  })
})

test('UTF-16 without a mark, either way round', async () => {
  const text = 'asin,title\nB0ABCD1231,Лампа ランタン é\n'
  for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()])
    for (const piece of [1, 7, 100_000]) expect(await decode(bytes, piece)).toEqual({ text, encoding: '' })
})

/** Short texts whose letters may be of several encodings. */
const anyOf: ReadonlyArray<[text: string, encoding: string, bytes: string]> = [
  ['Лампа', 'windows-1251', 'y+Ds7+A='],
  ['Фонарь для кемпинга', 'windows-1251', '1O7t4PD8IOTr/yDq5ezv6O3j4A=='],
  ['灯', 'gb18030', 'tcY='],
  ['露营灯', 'gb18030', 'wrbTqrXG'],
  ['露營燈', 'big5', 'xVPA579P'],
  ['電気毛布', 'shift_jis', 'k2SLQ5bRlXo='],
  ['ﾗﾝﾀﾝ', 'shift_jis', '193A3Q=='],
  ['랜턴', 'euc-kr', 't6PFzw=='],
  ['Łódź', 'windows-1250', 'o/Nknw=='],
  ['電池', 'shift_jis', 'k2SScg=='],
  ['靴 帽子', 'shift_jis', 'jEMglliOcQ=='],
  ['二段 二段', 'shift_jis', 'k/GSaSCT8ZJp'],
  ['黑', 'gb18030', 'uto='],
  ['Anker 充电器 65W', 'gb18030', 'QW5rZXIgs+S158b3IDY1Vw=='],
  ['咖啡 咖啡', 'gb18030', 'v6e3yCC/p7fI'],
]
const listOf = (bytes: string) =>
  Buffer.concat([
    Buffer.from('asin,title,price\nB0ABCD1231,'),
    Buffer.from(bytes, 'base64'),
    Buffer.from(',12\n'),
  ])

test.each(anyOf)(
  '%s alone is refused, with what it may be, until it is said',
  async (title, encoding, bytes) => {
    const refused = decode(listOf(bytes), 100)
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(new RegExp(`maybe [^.]*${encoding}.*say which with encoding=`, 'i')),
      fields: { encoding: expect.any(String) },
    })
    const { text } = await decode(listOf(bytes), 100, encoding)
    expect(text).toBe(`asin,title,price\nB0ABCD1231,${title},12\n`)
  },
)

test('kana are Japanese, however few', async () => {
  for (const [encoding, bytes] of [
    ['Shift_JIS', 'g1yDaoFb'],
    ['EUC-JP', 'pb2ly6G8'],
  ] as const) {
    const decoded = await decode(listOf(bytes), 100)
    expect(decoded).toEqual({ text: 'asin,title,price\nB0ABCD1231,ソニー,12\n', encoding })
  }
})

test.each([
  'Café',
  'PROMOÇÃO ÓTIMA',
  'Promoção',
  '°C ±5 «é»',
  'Þór er frægur æði',
  '£5',
  '¿Qué? ½ l',
  'Küche',
  'für Öl 5µm',
  'Männer ÜBER',
  '«été»',
])('%s alone stays western', async (title) => {
  const bytes = Buffer.from(title, 'latin1').toString('base64')
  for (const piece of [1, 100]) expect((await decode(listOf(bytes), piece)).text).toContain(`,${title},`)
})

test('UTF-8 with a damaged character stays that, and an encoding that nobody knows is refused', async () => {
  const damaged = Buffer.concat([
    Buffer.from('asin,title\nB0ABCD1231,Café Größe '),
    Buffer.from([0xc3, 0x0a]),
  ])
  expect((await decode(damaged, 7)).text).toBe('asin,title\nB0ABCD1231,Café Größe \ufffd\n')
  await expect(decode(damaged, 100, 'klingon')).rejects.toMatchObject({
    fields: { encoding: expect.any(String) },
  })
})
