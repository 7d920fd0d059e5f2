import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import { isNodePackage, listReleasedPackages, type ReleasedPackage } from './lockfile.ts'
import { formatSbom } from './sbom.ts'
import { type ReleaseFile, readContent } from './tar.ts'

/** What a release is made of. */
export interface Release {
  version: string
  /** Of the archive and its folder: `docket-<version>-<commit>`. */
  name: string
  /** Of the archive, which has the Node of the platform that made it. */
  files: ReleaseFile[]
  /** Of the npm package: the same for every platform, because npm installs its Node beside it. */
  npmFiles: ReleaseFile[]
}

/** The name of the npm package, and of its command. */
export const NPM_PACKAGE = 'docket-server'

interface PackageManifest {
  version: string
  description: string
  license: string
  /** The packages of npm that have Node, one for each platform. */
  optionalDependencies: Record<string, string>
}

/** In what the archive and the npm package differ. */
interface ReleaseVariant {
  runtime: ReleaseFile
  manifest: object
  packages: readonly ReleasedPackage[]
  commands: ReleasedCommands
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
  // It needs no packages.
  'examples/receiver',
  ...['fail2ban', 'grafana', 'kubernetes', 'prometheus', 'proxies', 'systemd'].map(
    (name) => `deploy/${name}`,
  ),
  'src/http/openapi/examples',
  'src/http/api-reference/assets',
  // The pages at /docs have the fonts and the tokens of the app.
  'web/fonts',
  'web/src/styles/tokens.css',
]
/** What is built before a release: `current` in each names the folder with the files. */
const BUILD_FOLDERS = ['web/dist', 'packages']
/** In these folders: sources, and pages about the development. */
const OMITTED = /^(?!examples\/).*\.ts$|\.test\.ts$|^docs\/(decisions|images|spec)\//
/** Enough digits of a commit to find it. */
const COMMIT_DIGITS = 8

/** Collects the files of a release of a built repository. */
export async function collectRelease(root: string, commit: string): Promise<Release> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageManifest
  const { version, description, license, optionalDependencies } = manifest
  const packages = listReleasedPackages(root)
  const directories = new Set(packages.map(({ directory }) => directory))
  const bundle = await bundleServer(root, directories, 'server')
  const copied = listCopiedFiles(root)
  const npx = `npx ./${NPM_PACKAGE}-${version}.tgz`
  const program = { version, description, license, type: 'module', gitHead: commit }
  const collect = async ({ runtime, manifest, packages, commands }: ReleaseVariant) => {
    const files: ReleaseFile[] = [
      ...[...bundle].map(([path, text]) => textFile(path, text)),
      ...listDocuments(root, copied, commands),
      ...listScripts(root),
      runtime,
      textFile('package.json', formatJson(manifest)),
      textFile('sbom.cdx.json', formatSbom({ version, commit, license }, packages)),
      textFile('THIRD-PARTY-LICENSES.txt', formatLicenses(root, packages)),
    ]
    return [...files, textFile('SHA256SUMS', await formatChecksums(files))]
  }
  return {
    version,
    name: `docket-${version}-${formatShortCommit(commit)}`,
    files: await collect({
      runtime: nodeBinary(root),
      manifest: { name: 'docket', private: true, ...program },
      packages,
      commands: { docket: 'bin/docket', server: 'bin/docket-server' },
    }),
    npmFiles: await collect({
      runtime: nodeLauncher(Object.keys(optionalDependencies)),
      manifest: {
        name: NPM_PACKAGE,
        ...program,
        bin: { [NPM_PACKAGE]: 'bin/docket-server', docket: 'bin/docket' },
        os: ['darwin', 'linux'],
        cpu: ['arm64', 'x64'],
        optionalDependencies,
      },
      packages: packages.filter(({ name }) => !isNodePackage(name)),
      commands: { docket: npx, server: npx },
    }),
  }
}

/** The first digits of a commit, and what it says about changed files. */
const formatShortCommit = (commit: string): string =>
  commit.replace(/^([0-9a-f]+)/, (digits) => digits.slice(0, COMMIT_DIGITS))

/** The copied files, with documents that suit the release. */
function listDocuments(
  root: string,
  copied: readonly string[],
  commands: ReleasedCommands,
): ReleaseFile[] {
  const others = ['README.md', 'THIRD-PARTY-LICENSES.txt', 'SHA256SUMS', 'sbom.cdx.json']
  const paths = new Set([...copied, ...others])
  const folders = new Set(copied.map((path) => posix.dirname(path)))
  const isReleased = (path: string) => paths.has(path) || folders.has(path.replace(/\/$/, ''))
  const toFile = (path: string, from = path): ReleaseFile => {
    if (!path.endsWith('.md')) return { path, content: { file: join(root, from) } }
    const text = readFileSync(join(root, from), 'utf8')
    return textFile(path, formatReleasedMarkdown(text, path, isReleased, commands))
  }
  return [...copied.map((path) => toFile(path)), toFile('README.md', 'tools/release/README.md')]
}

/** The manifest is where the server reads its version and commit; `gitHead` is npm's name for it. */
const formatJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const textFile = (path: string, text: string): ReleaseFile => ({ path, content: { text } })

/** Lists the files that a release of a built repository has as they are. */
export function listCopiedFiles(root: string): string[] {
  const builds = BUILD_FOLDERS.flatMap((folder) => {
    const current = `${folder}/current`
    return [current, `${folder}/${readFileSync(join(root, current), 'utf8')}`]
  })
  return [...builds, ...COPIED_PATHS]
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

/**
 * In the npm package this script stands for Node: npm has installed the Node of this platform beside
 * the package, or below it if another package needs another version.
 */
const nodeLauncher = (nodePackages: readonly string[]): ReleaseFile => ({
  path: 'runtime/node',
  content: {
    text: `#!/bin/sh
# Starts the Node that npm has installed with this package, which is in one of several packages.
set -eu
script=$(readlink -f -- "$0")
release=\${script%/runtime/node}
for packages in "$release/node_modules" "\${release%/*}"; do
  for name in ${nodePackages.join(' ')}; do
    node=$packages/$name/bin/node
    if [ ! -x "$node" ]; then continue; fi
    # npx starts a shell, which SIGTERM ends without reaching what it runs: the kernel sends it on.
    if [ "\${npm_lifecycle_event-}" = npx ] && setpriv --pdeathsig TERM true 2> /dev/null; then
      exec setpriv --pdeathsig TERM "$node" "$@"
    fi
    exec "$node" "$@"
  done
done
echo "npm has not installed the Node of ${NPM_PACKAGE}: install it again without --omit=optional." >&2
exit 78
`,
  },
  executable: true,
})

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

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * Collects the license texts of the released packages, which must go with their code. Packages with
 * the same text share it.
 */
function formatLicenses(root: string, packages: readonly ReleasedPackage[]): string {
  const byText = new Map<string, string[]>()
  for (const { name, version, license, directory } of packages) {
    const files = readdirSync(join(root, directory)).filter((file) => LICENSE_FILE.test(file))
    const texts = files
      .sort()
      .map((file) => readFileSync(join(root, directory, file), 'utf8').trim())
    const text = texts.join('\n\n') || `License: ${license ?? 'see the package'}`
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version}`])
  }
  const sections = [...byText].map(
    ([text, names]) => `${[...new Set(names)].join('\n')}\n\n${text}`,
  )
  return [
    'Docket contains code of the following packages, under the licenses below their names.',
    ...sections,
  ]
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n')
}

/** How a release is started and operated. */
interface ReleasedCommands {
  docket: string
  server: string
}

/**
 * A document as a release has it. Its commands are those of the release, which has neither npm nor
 * sources: what is between `<!-- clone -->` and `<!-- /clone -->` is left out. A link to a file that is
 * not in the release is just its text.
 */
function formatReleasedMarkdown(
  text: string,
  path: string,
  isReleased: (path: string) => boolean,
  commands: ReleasedCommands,
): string {
  const withCommands = text
    .replaceAll(/<!-- clone -->[\s\S]*?<!-- \/clone -->\n*/g, '')
    .replaceAll(/npm run (?:--silent )?docket --/g, commands.docket)
    .replaceAll('npx node examples/', 'runtime/node examples/')
    .replaceAll(/^```sh\n[\s\S]*?^```$/gm, (block) =>
      block.replaceAll(/\bnpm start(?: --)?/g, commands.server),
    )
  return withCommands.replaceAll(
    /!?\[([^\]]*)\]\(([^)\s]+)\)/g,
    (link: string, label: string, target: string) => {
      if (/^(?:[a-z]+:|#|\/)/.test(target)) return link
      const file = posix.join(posix.dirname(path), target.replace(/#.*$/, ''))
      return isReleased(file) ? link : label
    },
  )
}
