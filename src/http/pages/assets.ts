import { readFileSync } from 'node:fs'

/** `type` is the Content-Type that it is sent with. */
interface Asset {
  readonly type: string
  readonly body: Buffer | string
}

/** What stands under `/docs/assets/<name>`, read once at the start. Text is UTF-8. */
export const pageAssets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ['pages.css', { type: 'text/css; charset=utf-8', body: styles() }],
  text('pages.js', 'text/javascript'),
  font('instrument-sans-var.woff2'),
  font('newsreader-500.woff2'),
  font('spline-sans-mono-450.woff2'),
  text('OFL.txt', 'text/plain', 'fonts/'),
  text('LICENSES.md', 'text/plain', 'fonts/'),
])

/** One file for the browser; the order of the layers is said in the first. */
function styles() {
  const sheets = ['tokens', 'base', 'parts', 'rows', 'reference', 'home', 'modes']
  return sheets.map((name) => read(`${name}.css`).toString()).join('\n')
}

function text(name: string, type: string, folder = '') {
  return [name, { type: `${type}; charset=utf-8`, body: read(folder + name).toString() }] as const
}

function font(name: string) {
  return [name, { type: 'font/woff2', body: read(`fonts/${name}`) }] as const
}

function read(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url))
}
