import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import { formatLicenses } from './licenses.ts'
import { listReleasedPackages } from './lockfile.ts'
import { formatReleasedMarkdown } from './released-markdown.ts'
import { formatSbom } from './sbom.ts'
import { type ReleaseFile, readContent } from './tar.ts'

/** What a release is made of. */
export interface Release {
  version: string
  /** Of its folder and its archive: `docket-<version>-<commit>`. */
  name: string
  files: ReleaseFile[]
}

interface PackageManifest {
  version: string
  description: string
  license: string
}

/**
 * Files and folders that are released as they are: what the server reads, and what operators need. The
 * files and secrets of an installation that Compose builds from sources are beside these folders of deploy.
 */
const COPIED_PATHS = [
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
  'docs',
  // Those that need no packages.
  ...['git-history', 'receiver'].map((name) => `examples/${name}`),
  ...['fail2ban', 'grafana', 'kubernetes', 'prometheus', 'proxies', 'systemd'].map(
    (name) => `deploy/${name}`,
  ),
  'src/http/openapi/examples',
  'src/http/api-reference/assets',
]
/** In these folders: sources, and pages about the development. */
const OMITTED = /^(?!examples\/).*\.ts$|\.test\.ts$|^docs\/(decisions|images|spec)\//
/** Enough digits of a commit to find it. */
const COMMIT_DIGITS = 8

/** Collects the files of a release of a built repository. */
export async function collectRelease(root: string, commit: string): Promise<Release> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageManifest
  const { version, license } = manifest
  const packages = listReleasedPackages(root)
  const directories = new Set(packages.map(({ directory }) => directory))
  const bundle = await bundleServer(root, directories, 'server')
  const files: ReleaseFile[] = [
    ...[...bundle].map(([path, text]) => ({ path, content: { text } })),
    ...listDocuments(root),
    ...listScripts(root),
    nodeBinary(root),
    textFile('package.json', formatManifest(manifest, commit)),
    textFile('sbom.cdx.json', formatSbom({ version, commit, license }, packages)),
    textFile('THIRD-PARTY-LICENSES.txt', formatLicenses(root, packages)),
  ]
  const sums = await formatChecksums(files)
  const name = `docket-${version}-${formatShortCommit(commit)}`
  return { version, name, files: [...files, textFile('SHA256SUMS', sums)] }
}

/** The first digits of a commit, and what it says about changed files. */
const formatShortCommit = (commit: string): string =>
  commit.replace(/^([0-9a-f]+)/, (digits) => digits.slice(0, COMMIT_DIGITS))

/** The copied files, with documents that suit the release. */
function listDocuments(root: string): ReleaseFile[] {
  const copied = listCopiedFiles(root)
  const others = ['README.md', 'THIRD-PARTY-LICENSES.txt', 'SHA256SUMS', 'sbom.cdx.json']
  const paths = new Set([...copied, ...others])
  const folders = new Set(copied.map((path) => posix.dirname(path)))
  const isReleased = (path: string) => paths.has(path) || folders.has(path.replace(/\/$/, ''))
  const toFile = (path: string, from = path): ReleaseFile =>
    path.endsWith('.md')
      ? textFile(
          path,
          formatReleasedMarkdown(readFileSync(join(root, from), 'utf8'), path, isReleased),
        )
      : { path, content: { file: join(root, from) } }
  return [...copied.map((path) => toFile(path)), toFile('README.md', 'tools/release/README.md')]
}

/** The manifest that the server reads its version and commit from; `gitHead` is npm's name for it. */
const formatManifest = ({ version, description, license }: PackageManifest, commit: string) =>
  `${JSON.stringify({ name: 'docket', version, description, license, private: true, type: 'module', gitHead: commit }, null, 2)}\n`

const textFile = (path: string, text: string): ReleaseFile => ({ path, content: { text } })

/** Lists the files that a release of a built repository has as they are. */
export function listCopiedFiles(root: string): string[] {
  const build = `web/dist/${readFileSync(join(root, 'web/dist/current'), 'utf8')}`
  return ['web/dist/current', build, ...COPIED_PATHS]
    .flatMap((path) => listFiles(root, path))
    .filter((path) => !OMITTED.test(path))
}

function listFiles(root: string, path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

const listScripts = (root: string): ReleaseFile[] =>
  ['docket', 'docket-server'].map((name) => ({
    path: `bin/${name}`,
    content: { file: join(root, 'tools/release/bin', name) },
    executable: true,
  }))

/** Node as the lockfile pins it, which node_modules has for this platform alone. */
function nodeBinary(root: string): ReleaseFile {
  const { platform, arch } = process
  const file = [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`]
    .map((name) => join(root, 'node_modules', name, 'bin/node'))
    .find((path) => existsSync(path))
  if (file === undefined) throw new Error(`node_modules has no Node for ${platform}-${arch}.`)
  return { path: 'runtime/node', content: { file }, executable: true }
}

/** Lists the SHA-256 of each file, as `sha256sum --check` reads it. */
async function formatChecksums(files: readonly ReleaseFile[]): Promise<string> {
  const lines: string[] = []
  for (const { path, content } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const hash = createHash('sha256')
    for await (const chunk of readContent(content)) hash.update(chunk)
    lines.push(`${hash.digest('hex')}  ${path}\n`)
  }
  return lines.join('')
}
