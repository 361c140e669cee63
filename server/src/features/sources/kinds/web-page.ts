/** So many bytes of an answer show what page it is. */
export const pageBytes = 64 * 1024

// A comment ends at its first end: were there several ways to read a row of them, trying all would never be over.
const begins =
  /^[\s\ufeff]*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S]){0,2000}-->\s*)*<(?:!doctype\s+html|html|head|body|title|script)\b/i
const challenge =
  /just a moment\.\.\.|cf-chl|challenge-platform|captcha|attention required!|are you a (?:robot|human)|you are (?:a )?human|not a robot|characters you see|pardon our interruption|ddos protection|unusual traffic|automated (?:access|requests)/i
const signIn = /<input\b[^>]{0,300}\btype\s*=\s*["']?password/i

/** What to do about an answer that is a web page instead of what was asked for; null for anything else. `head`: its first bytes. */
export function pageProblem(head: Uint8Array): string | null {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, pageBytes)).toString('latin1')
  if (!begins.test(text)) return null
  if (challenge.test(text))
    return 'The address answers with a page that checks whether a person is asking. It does not let programs read it: ask its owner for another address.'
  if (signIn.test(text))
    return 'The address answers with a page to sign in. Its owner may have an address with a key, or a header with a secret is needed.'
  return 'The address answers with a web page. Enter the address of the document itself.'
}
