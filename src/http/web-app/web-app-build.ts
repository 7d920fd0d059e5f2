import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file of the built web app. */
export interface WebAppAsset {
  type: string
  body: Buffer
  /** The compressed bytes by content coding; codings that are missing here are not applied. */
  precompressed: { br?: Buffer; gzip?: Buffer }
  /** Whether the name contains a hash of the content, so that caches may keep it for ever. */
  immutable: boolean
  etag: string
}

/** The built web app, held in memory: about 3 MB. */
export interface WebAppBuild {
  /** index.html. */
  page: string
  /** By path below `/app/`; no other file can be requested. */
  assets: ReadonlyMap<string, WebAppAsset>
  manifest: ViteManifest
}

/** Vite's manifest: the output file and imports of each source. */
export type ViteManifest = Readonly<Record<string, { file: string; imports?: readonly string[] }>>

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The output directory of `tools/build-web.ts`. */
const DIST_DIRECTORY = join(import.meta.dirname, '../../../web/dist')

/** Loads the current build in `dist`; returns undefined if nothing was built yet. */
export function loadWebAppBuild(dist = DIST_DIRECTORY): WebAppBuild | undefined {
  const current = readText(join(dist, 'current'))
  if (current === undefined) return undefined
  const directory = join(dist, current)
  const names = globSync('**/*.*', { cwd: directory }).filter(
    (name) => extname(name) in MEDIA_TYPES,
  )
  const assets = names.map((name) => [name, loadAsset(directory, name)] as const)
  const page = readText(join(directory, 'index.html'))
  const manifest = readText(join(directory, 'files.json'))
  if (page === undefined || manifest === undefined) {
    throw new Error(`${directory} is not whole: remove ${dist} and start again`)
  }
  return { page, assets: new Map(assets), manifest: JSON.parse(manifest) }
}

function loadAsset(directory: string, name: string): WebAppAsset {
  const path = join(directory, name)
  const body = readFileSync(path)
  const [br, gzip] = [readBytes(`${path}.br`), readBytes(`${path}.gz`)]
  return {
    type: MEDIA_TYPES[extname(name)] ?? 'application/octet-stream',
    body,
    precompressed: { ...(br && { br }), ...(gzip && { gzip }) },
    immutable: name.startsWith('assets/'),
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`,
  }
}

const readText = (path: string) => readBytes(path)?.toString()

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
