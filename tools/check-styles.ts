import { globSync, readFileSync } from 'node:fs'

/**
 * Fails on styles that go past the token sheet: a raw colour, a length in px that is no hairline, a
 * class that no component mentions, a custom property that nothing declares or reads.
 */
const TOKENS = 'web/src/styles/tokens.css'
const SHEETS = globSync('web/src/**/*.css').sort()
const SCRIPTS = globSync('{web/src/**/*.{ts,tsx},web/public/*.js,web/index.html}').filter(
  (file) => !/\.test\.tsx?$|^web\/src\/messages\//.test(file),
)

/** The named colours of CSS Color 4 §6.1, shades of a colour by its end; system colours are fine. */
const COLOR_ENDS =
  'aqua|black|blue|brick|brown|coral|cyan|gold|goldenrod|gr[ae]y|green|khaki|magenta|marine|' +
  'olive|orange|orchid|pink|purple|red|salmon|silver|turquoise|violet|white|yellow'
const COLOR_NAMES =
  'azure|beige|bisque|blanchedalmond|burlywood|chartreuse|chocolate|cornsilk|crimson|fuchsia|' +
  'gainsboro|honeydew|indigo|ivory|lavender|lavenderblush|lemonchiffon|lime|linen|maroon|' +
  'mintcream|mistyrose|moccasin|navy|oldlace|olivedrab|papayawhip|peachpuff|peru|plum|' +
  'seashell|sienna|snow|tan|teal|thistle|tomato|wheat|whitesmoke'
const RAW_COLOR = new RegExp(
  '#[0-9a-f]{3,8}\\b|\\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\\(|' +
    `(?<![\\w-])(?:[a-z]*(?:${COLOR_ENDS})|${COLOR_NAMES})(?![\\w-])`,
  'i',
)
const PX_LENGTH = /(?<![\w-])-?(?:\d+\.)?\.?\d+px\b/g
const HAIRLINES = ['0px', '1px', '-1px']

interface CssDeclaration {
  property: string
  value: string
  line: number
}

interface StyleSheet {
  file: string
  selectors: { selector: string; line: number }[]
  declarations: CssDeclaration[]
}

const sheets = SHEETS.map(parseSheet)
const words = new Set<string>()
const prefixes: string[] = []
const propertiesOfScripts = new Set<string>()
for (const file of SCRIPTS) readScript(readFileSync(file, 'utf8'))

const mistakes = [
  ...sheets.flatMap(findRawValues),
  ...sheets.flatMap(findDeadClasses),
  ...findStrayProperties(),
]
console.log(mistakes.join('\n') || 'Styles are in order.')
process.exitCode = mistakes.length > 0 ? 1 : 0

function findRawValues({ file, declarations }: StyleSheet): string[] {
  if (file === TOKENS) return []
  return declarations.flatMap(({ property, value, line }) => {
    const [color] = RAW_COLOR.exec(value.replaceAll(/(["']).*?\1|var\(--[\w-]+/g, '')) ?? []
    const [length] = property.startsWith('--')
      ? []
      : (value.match(PX_LENGTH) ?? []).filter((one) => !HAIRLINES.includes(one))
    return [
      ...(color ? [`${file}:${line}: ${color}: colours are tokens of ${TOKENS}`] : []),
      ...(length ? [`${file}:${line}: ${length}: use a token, or name it as a property`] : []),
    ]
  })
}

/** A class may be composed: `md-${level}` mentions everything that begins with `md-`. */
function findDeadClasses({ file, selectors }: StyleSheet): string[] {
  return selectors.flatMap(({ selector, line }) => {
    const classes = selector.replaceAll(/\[[^\]]*\]/g, '').matchAll(/\.([a-zA-Z][\w-]*)/g)
    return [...classes].flatMap(([, name = '']) => {
      const isMentioned = words.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
      return isMentioned ? [] : [`${file}:${line}: .${name}: no component has this class`]
    })
  })
}

function findStrayProperties(): string[] {
  const all = sheets.flatMap(({ file, declarations }) =>
    declarations.map((declaration) => ({ ...declaration, file })),
  )
  const declared = new Set(all.map(({ property }) => property))
  const read = new Set(
    all.flatMap(({ value }) => [...value.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)),
  )
  const unused = all
    .filter(({ property }) => property.startsWith('--') && !read.has(property))
    .filter(({ property }) => !propertiesOfScripts.has(property))
    .map(({ file, line, property }) => `${file}:${line}: ${property}: nothing reads it`)
  const undeclared = all.flatMap(({ file, line, value }) =>
    [...value.matchAll(/var\((--[\w-]+)\)/g)].flatMap(([, name = '']) =>
      declared.has(name) || propertiesOfScripts.has(name)
        ? []
        : [`${file}:${line}: ${name}: nothing declares it`],
    ),
  )
  return [...unused, ...undeclared]
}

/** Collects what may be a class from all literals: one may be chosen far from the element that gets it. */
function readScript(text: string): void {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(/(?:from |import\(?)'[^']*'/g, '')
  for (const [literal] of code.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g)) {
    for (const [word] of literal.matchAll(/[a-zA-Z][\w-]*/g)) words.add(word)
    for (const [, prefix = ''] of literal.matchAll(/([a-zA-Z][\w-]*-)\$\{/g)) prefixes.push(prefix)
  }
  for (const [name] of code.matchAll(/--[a-z][\w-]*/g)) propertiesOfScripts.add(name)
}

/** Splits a sheet into its selectors and declarations; nothing in ours quotes a brace. */
function parseSheet(file: string): StyleSheet {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  )
  const sheet: StyleSheet = { file, selectors: [], declarations: [] }
  let line = 1
  for (const [whole, head = '', end] of text.matchAll(/([^{};]*)([{};])/g)) {
    const start = line + (/^\s*/.exec(head)?.[0].split('\n').length ?? 1) - 1
    line += whole.split('\n').length - 1
    const part = head.trim()
    if (part === '' || part.startsWith('@')) continue
    if (end === '{') {
      sheet.selectors.push({ selector: part, line: start })
    } else {
      const colon = part.indexOf(':')
      const property = part.slice(0, colon).trim()
      sheet.declarations.push({ property, value: part.slice(colon + 1), line: start })
    }
  }
  return sheet
}
