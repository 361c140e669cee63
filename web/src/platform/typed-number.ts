/** Three digits at a time, by one sign, as thousands are written in many countries: nobody types a price or a limit with three decimals. */
const inThousands = /^[1-9]\d{0,2}([.,\s’'])\d{3}(?:\1\d{3})*(?!\d)/

/** A number as somebody types it, in the form that `Number` reads: '1,250.5', '1.250,5' and '1250.5' are one. */
export const plainNumber = (text: string): string =>
  text
    .trim()
    .replace(inThousands, (whole) => whole.replace(/\D/g, ''))
    .replace(',', '.')
