import { readFileSync } from 'node:fs'

interface PageAsset {
  /** The `Content-Type`. */
  readonly type: string
  readonly body: Buffer | string
}

/** The files under `/docs/assets/<name>`, read once at the start. Text is UTF-8. */
export const pageAssets: ReadonlyMap<string, PageAsset> = new Map<string, PageAsset>([
  ['pages.css', { type: 'text/css; charset=utf-8', body: bundleStyles() }],
  textAsset('pages.js', 'text/javascript'),
  textAsset('contents.js', 'text/javascript'),
  textAsset('code-tabs.js', 'text/javascript'),
  ...['confirmation', 'dom', 'fetch', 'fields', 'form', 'ids', 'operation', 'reply'].map((name) =>
    textAsset(`request-${name}.js`, 'text/javascript'),
  ),
  fontAsset('instrument-sans-var.woff2'),
  fontAsset('newsreader-500.woff2'),
  fontAsset('spline-sans-mono-450.woff2'),
  textAsset('OFL.txt', 'text/plain', 'fonts/'),
  textAsset('LICENSES.md', 'text/plain', 'fonts/'),
])

/** Joins the style sheets; the first declares the order of the cascade layers. */
function bundleStyles() {
  const sheets = [
    'tokens',
    'base',
    'parts',
    'rows',
    'reference',
    'samples',
    'request-form',
    'guide',
    'home',
    'modes',
  ]
  return sheets.map((name) => readAsset(`${name}.css`).toString()).join('\n')
}

function textAsset(name: string, type: string, folder = '') {
  return [
    name,
    { type: `${type}; charset=utf-8`, body: readAsset(folder + name).toString() },
  ] as const
}

function fontAsset(name: string) {
  return [name, { type: 'font/woff2', body: readAsset(`fonts/${name}`) }] as const
}

function readAsset(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url))
}
