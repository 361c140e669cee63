import { escapeHtml, lines } from '../texts.ts'
import type { DealPart, MailParts } from './mail-parts.ts'

/** A message as plain text. */
export function mailText({ heading, text, deals, links, footer }: MailParts): string {
  const linkText = ({ text, url }: { text: string; url: string | null }) =>
    url === null ? text : `${text}: ${url}`
  const paragraphs = [
    lines(heading),
    ...deals.map(({ title, state, price, facts, links }) =>
      lines(state === 'ended' ? `Ended: ${title}` : title, price, ...facts, ...links.map(linkText)),
    ),
    lines(text, ...links.map(linkText)),
    lines('-- ', ...footer.map(linkText)),
  ]
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`
}

// Colours of the reader's own program, light or dark; only what is less important is grey, which reads on both.
const style = [
  ':root{color-scheme:light dark;supported-color-schemes:light dark}',
  'body{font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;margin:0}',
  'main{max-width:560px;margin:0 auto;padding:16px}',
  'article{padding:0 0 16px;margin:0 0 16px;border-bottom:1px solid #8886}',
  'h1{font-size:20px;line-height:1.3;margin:0 0 16px}h2{font-size:17px;line-height:1.35;margin:0 0 4px;font-weight:600}',
  'p{margin:0 0 6px}img{max-width:240px;max-height:240px;height:auto;border-radius:6px;background:#fff}',
  '.price{font-size:18px;font-weight:600}.quiet{color:#767676;font-size:14px}a{color:#1a73c7}',
].join('')

/** The same as a page without scripts, tables, or anything that is loaded but the pictures of the deals. */
export function mailHtml({ subject, heading, text, deals, links, footer }: MailParts): string {
  const body = [
    heading && `<h1>${escapeHtml(heading)}</h1>`,
    ...deals.map(dealHtml),
    text && paragraphsOf(text),
    links.length > 0 && `<p>${links.map(link).join(' · ')}</p>`,
    `<p class="quiet">${footer.map(({ text, url }) => (url === null ? escapeHtml(text) : link({ text, url }))).join('<br>')}</p>`,
  ]
  return lines(
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escapeHtml(subject)}</title><style>${style}</style></head><body><main>`,
    ...body,
    '</main></body></html>',
  )
}

function dealHtml({ title, state, price, facts, imageUrl, links }: DealPart): string {
  const struck = (text: string) => (state === 'ended' ? `<s>${escapeHtml(text)}</s>` : escapeHtml(text))
  return lines(
    '<article>',
    imageUrl && `<p><img src="${escapeHtml(imageUrl)}" alt="${escapeHtml(title)}" width="240"></p>`,
    `<h2 dir="auto">${struck(title)}</h2>`,
    price && `<p class="price">${struck(price)}</p>`,
    facts.length > 0 && `<p class="quiet">${facts.map(escapeHtml).join('<br>')}</p>`,
    links.length > 0 && `<p>${links.map(link).join(' · ')}</p>`,
    '</article>',
  )
}

function paragraphsOf(text: string): string {
  const paragraphs = text.split(/\n{2,}/)
  return paragraphs.map((each) => `<p>${escapeHtml(each).replaceAll('\n', '<br>')}</p>`).join('')
}

const link = ({ text, url }: { text: string; url: string }) =>
  `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`
