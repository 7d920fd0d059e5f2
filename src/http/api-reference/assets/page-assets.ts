import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface PageAsset {
  /** The `Content-Type`. */
  readonly type: string
  readonly body: Buffer | string
}

/** The app and these pages share fonts, tokens and the styles of plain elements. */
const WEB_FOLDER = join(import.meta.dirname, '../../../../web')
const FONTS_FOLDER = join(WEB_FOLDER, 'fonts')
const SHEETS = ['parts', 'reference', 'guide', 'home', 'modes']

/** The files under `/docs/assets/<name>`, read once at the start. Text is UTF-8. */
export const pageAssets: ReadonlyMap<string, PageAsset> = new Map<string, PageAsset>([
  ['pages.css', { type: 'text/css; charset=utf-8', body: bundleStyles() }],
  textAsset('pages.js', 'text/javascript'),
  textAsset('contents.js', 'text/javascript'),
  ...['instrument-sans-var', 'newsreader-500', 'spline-sans-mono-450'].map((name) =>
    fontAsset(`${name}.woff2`),
  ),
  textAsset('OFL.txt', 'text/plain', FONTS_FOLDER),
  textAsset('LICENSES.md', 'text/plain', FONTS_FOLDER),
])

/** Joins the style sheets; the first declares the order of the cascade layers. */
function bundleStyles() {
  const tokens = readText('tokens.css', join(WEB_FOLDER, 'src/styles'))
  return [
    tokens.replaceAll('../../fonts/', ''),
    ...SHEETS.map((name) => readText(`${name}.css`)),
  ].join('\n')
}

function textAsset(name: string, type: string, folder?: string) {
  return [name, { type: `${type}; charset=utf-8`, body: readText(name, folder) }] as const
}

function fontAsset(name: string) {
  return [name, { type: 'font/woff2', body: readFileSync(join(FONTS_FOLDER, name)) }] as const
}

function readText(name: string, folder = import.meta.dirname): string {
  return readFileSync(join(folder, name), 'utf8')
}
