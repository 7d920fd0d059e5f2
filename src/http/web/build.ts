import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file of the built web app, as it is sent. */
export interface Asset {
  type: string
  body: Buffer
  /** By coding; what is missing here is sent as it is. */
  packed: { br?: Buffer; gzip?: Buffer }
  /** Whether its name tells its content, so that it may be kept for ever. */
  immutable: boolean
  etag: string
}

/** The web app as it was built: all of it is held in memory, some 3 MB. */
export interface Build {
  /** index.html. */
  page: string
  /** By path below `/app/`; nothing else can be reached. */
  assets: ReadonlyMap<string, Asset>
  manifest: Manifest
}

/** What vite says of each source (manifest.json). */
export type Manifest = Readonly<Record<string, { file: string; imports?: readonly string[] }>>

const TYPES: Readonly<Record<string, string>> = {
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

/** Where `tools/build-web.ts` puts its builds. */
const DIST = join(import.meta.dirname, '../../../web/dist')

/** Reads the build that `dist` names as current; undefined where there is none yet. */
export function openBuild(dist = DIST): Build | undefined {
  const current = textOf(join(dist, 'current'))
  if (current === undefined) return undefined
  const place = join(dist, current)
  const names = globSync('**/*.*', { cwd: place }).filter((name) => extname(name) in TYPES)
  const assets = names.map((name) => [name, assetOf(place, name)] as const)
  const page = textOf(join(place, 'index.html'))
  const manifest = textOf(join(place, '.vite/manifest.json'))
  if (page === undefined || manifest === undefined) {
    throw new Error(`${place} is not whole: remove ${dist} and start again`)
  }
  return { page, assets: new Map(assets), manifest: JSON.parse(manifest) }
}

function assetOf(place: string, name: string): Asset {
  const path = join(place, name)
  const body = readFileSync(path)
  const [br, gzip] = [bytesOf(`${path}.br`), bytesOf(`${path}.gz`)]
  return {
    type: TYPES[extname(name)] ?? 'application/octet-stream',
    body,
    packed: { ...(br && { br }), ...(gzip && { gzip }) },
    immutable: name.startsWith('assets/'),
    etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`,
  }
}

const textOf = (path: string) => bytesOf(path)?.toString()

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
