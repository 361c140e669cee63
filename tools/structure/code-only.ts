/**
 * The code of a TypeScript text with the insides of strings, templates and comments blanked out, line for line:
 * `'a as B'` becomes `'      '`. A comment keeps its first two characters, so that one can see it is there.
 */
export function codeOnly(text: string): string {
  let code = ''
  let index = 0
  // Depth of braces at which each open `${` of a template began.
  const templates: number[] = []
  let depth = 0

  const blank = (end: number) => {
    code += text.slice(index, end).replace(/[^\n]/g, ' ')
    index = end
  }
  const keep = (count: number) => {
    code += text.slice(index, index + count)
    index += count
  }
  const template = () => {
    const rest = /\$\{|`|\\[\s\S]/g
    rest.lastIndex = index
    for (let found = rest.exec(text); found; found = rest.exec(text)) {
      if (found[0].startsWith('\\')) continue
      blank(found.index)
      if (found[0] === '${') templates.push(depth)
      keep(found[0].length)
      return
    }
    blank(text.length)
  }

  while (index < text.length) {
    const [char, next] = [text[index], text[index + 1]]
    if (char === '/' && (next === '/' || next === '*')) {
      keep(2)
      const end = next === '/' ? text.indexOf('\n', index) : text.indexOf('*/', index)
      blank(end < 0 ? text.length : end)
    } else if (char === "'" || char === '"') {
      // A quote in the text between tags is no string: it has no partner on its line, so nothing is blanked past it.
      const literal = new RegExp(`${char}(?:[^${char}\\\\\\n]|\\\\.)*${char}`, 'y')
      literal.lastIndex = index
      const length = literal.exec(text)?.[0].length ?? 1
      keep(1)
      if (length > 1) blank(index + length - 2)
      if (length > 1) keep(1)
    } else if (char === '`') {
      keep(1)
      template()
    } else if (char === '}' && templates.at(-1) === depth) {
      templates.pop()
      keep(1)
      template()
    } else if (char === '/' && /(^|[(,=:[!&|?{};\n]|return|=>)\s*$/.test(code.slice(-40))) {
      const literal = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//y
      literal.lastIndex = index
      const length = literal.exec(text)?.[0].length ?? 1
      keep(1)
      blank(index + length - 1)
    } else {
      if (char === '{') depth += 1
      if (char === '}') depth -= 1
      keep(1)
    }
  }
  return code
}
