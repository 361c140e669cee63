import { type Random, seededRandom } from '../../tools/sample-deals/random.ts'

/** How many different words the made titles draw from. */
const vocabularySize = 40_000

// The commonest words of shop titles, commonest first; the tail is made of syllables.
const commonWords = (
  'with for set pack and black white of in steel stainless women men kids large small home wireless cotton pieces ' +
  'water kitchen blue bag adjustable cover usb silicone portable case light travel led holder outdoor storage cable ' +
  'glass pink organizer green bottle heavy duty soft car wood waterproof baby phone gift mini charger toy mat wall ' +
  'brush garden red hair dog cat box cleaning stand shirt tool metal hook desk pet bath paper lamp tape mug socks ' +
  'pillow clip mount remote battery adapter sleeve curtain basket coffee candle towel notebook pencil marker gloves ' +
  'strap bracelet necklace ring earrings sticker magnet drawer shelf hanger knife spoon bowl plate tray cutter peeler ' +
  'grater whisk apron sponge mop broom bucket hose sprayer pot planter seeds trowel rake lantern torch tent rope yoga'
).split(' ')

const list = (text: string) => text.split(' ')
const onsets = list(
  'b bl br c ch cl cr d dr f fl fr g gl gr h j k kn l m n p ph pl pr qu r s sc sh sk sl sm sn sp st str t th tr v w x y z',
)
const vowels = list('a e i o u a e i o u ai ea ee ie oa oo ou au y ue')
const codas = list(
  'b ck d ff ft g gh k l ld lk ll lm lt m mb mp n nd ng nk nt p pt r rb rd rk rl rm rn rt s sh ss st t tch x z',
)

/** The words by rank, the commonest first; the same list on every call. */
export function makeVocabulary(): string[] {
  const random = seededRandom(11)
  const words = new Set(commonWords)
  while (words.size < vocabularySize) words.add(madeWord(random))
  return [...words]
}

/** Two or three syllables, or now and then a model number, which titles are full of. */
function madeWord(random: Random): string {
  if (random.chance(0.12)) return `${random.pick(onsets)}${random.pick(onsets)}${random.between(10, 9_999)}`
  let word = ''
  for (let syllables = random.between(2, 3); syllables > 0; syllables--) {
    word +=
      random.pick(onsets) +
      random.pick(vowels) +
      (syllables === 1 || random.chance(0.3) ? random.pick(codas) : '')
  }
  return word
}

/** A rank drawn so that rank r comes up about 1/r as often as rank 1, as in written language. */
export function drawRank(random: Random): number {
  return Math.min(vocabularySize, Math.floor(Math.exp(random.next() * Math.log(vocabularySize + 1)))) - 1
}
