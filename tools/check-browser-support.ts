// Builds the current sources first.
import './build-web.ts'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import browserData from '@mdn/browser-compat-data' with { type: 'json' }
import type { BrowserName, CompatStatement, Identifier } from '@mdn/browser-compat-data'

/**
 * Fails if a script that browsers load calls a function which one of the oldest supported browsers lacks, also
 * in a package. The build cannot tell: it translates syntax, but adds no functions. Methods of values are no
 * names to search for; those of our own code are known to the compiler (`lib` in web/tsconfig.json).
 */

/** The oldest browsers of docs/browsers.md. */
const OLDEST_VERSIONS: Partial<Record<BrowserName, number>> = {
  chrome: 124,
  edge: 124,
  firefox: 128,
  safari: 17.5,
  safari_ios: 17.5,
}

/** Functions that are called only in browsers that have them. */
const GUARDED = [
  // isPasskeySupported() in web/src/lib/browser/passkey.ts
  'PublicKeyCredential.parseCreationOptionsFromJSON',
  'PublicKeyCredential.parseRequestOptionsFromJSON',
]

const root = join(import.meta.dirname, '..')
const build = join(root, 'web/dist', readFileSync(join(root, 'web/dist/current'), 'utf8'))
const scripts = [
  ...globSync('**/*.js', { cwd: build }).map((file) => join(build, file)),
  ...globSync('src/http/api-reference/assets/*.js', { cwd: root }).map((file) => join(root, file)),
]
const { javascript, api } = browserData
const missing = [
  ...Object.entries(javascript.builtins ?? {}).flatMap(([owner, members]) =>
    listMissing(members).map((name) => (name === owner ? `new ${owner}` : `${owner}.${name}`)),
  ),
  ...Object.entries(api).flatMap(([owner, members]) =>
    listMissing(members)
      .filter((name) => name.endsWith('_static'))
      .map((name) => `${owner}.${name.slice(0, -'_static'.length)}`),
  ),
].filter((name) => !GUARDED.includes(name))
const pattern = new RegExp(`(?<![\\w$])(?:${missing.map(RegExp.escape).join('|')})(?![\\w$])`, 'g')

for (const script of scripts) {
  for (const [name] of readFileSync(script, 'utf8').matchAll(pattern)) {
    console.log(`✗ ${script}: ${name} is missing in one of the oldest supported browsers`)
    process.exitCode = 1
  }
}
if (!process.exitCode)
  console.log(`✓ ${scripts.length} scripts call no function that a browser lacks`)

/** The members of an object that one of the browsers lacks. */
function listMissing(owner: Identifier | CompatStatement | undefined): string[] {
  return Object.entries<unknown>({ ...owner }).flatMap(([name, member]) =>
    /^\w+$/.test(name) && isIdentifier(member) && isMissing(member) ? [name] : [],
  )
}

function isIdentifier(member: unknown): member is Identifier {
  return typeof member === 'object' && member !== null && '__compat' in member
}

function isMissing({ __compat }: Identifier): boolean {
  return Object.entries(OLDEST_VERSIONS).some(([browser, oldest]) => {
    const support = Object.entries({ ...__compat?.support }).find(([name]) => name === browser)?.[1]
    return ![support ?? []].flat().some(({ version_added, version_removed, flags }) => {
      const since = version_added ? Number.parseFloat(version_added.replace('≤', '')) : Number.NaN
      return since <= oldest && !version_removed && !flags
    })
  })
}
