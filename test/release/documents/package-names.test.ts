import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { readCodeBlocks } from './code-blocks.ts'

/** Packages of others that documents name, each of which the registry has. */
const REGISTRY_PACKAGES = ['node', 'openapi-fetch', 'openapi-typescript', 'standardwebhooks']

const DOCUMENTS = globSync(['*.md', '{docs,examples,sdk,cli,conformance,tools}/**/*.md'], {
  exclude: ['**/node_modules/**'],
})
/** Programs and settings, whose texts people read too: messages, help, pages and scripts. */
const PROGRAMS = globSync(
  [
    '{src,web/src,cli/src,sdk/src,conformance/src,examples,tools}/**/*.{ts,tsx,cjs,js}',
    'deploy/**/*',
    'tools/release/bin/*',
  ],
  { exclude: ['**/node_modules/**', '**/*.test.ts', 'deploy/secrets/**', 'deploy/.env'] },
).filter((path) => statSync(path).isFile())

/** A command that fetches packages by name, and its words up to the end of the command or the quote. */
const INSTALLATION =
  /(?:^|[`'"(]|&& |; |\w=\S+ )(npx|(?:npm|pnpm|yarn|bun) (?:install|i|add|exec|dlx|create|init|publish)|bunx)((?: +[^\s`'"|&;)]+)+)/gm

/** The words of installations in a text that are neither an option, a file nor an address. */
function namedPackages(text: string): string[] {
  return [...text.matchAll(INSTALLATION)].flatMap(([, command = '', rest = '']) => {
    const words = rest
      .replace(/ #.*$/, '')
      .trim()
      .split(/ +/)
      .map((word) => word.replace(/^--package=/, ''))
      .filter((word) => !word.startsWith('-'))
    // The other words are those of the program that npx runs.
    const specs = /^(?:npx|bunx)$/.test(command) ? words.slice(0, 1) : words
    return specs.filter((spec) => /^[\w@][^/$]*$/.test(spec))
  })
}

const codeOf = (path: string): string => {
  const inline = [...readFileSync(path, 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code)
  return [...readCodeBlocks(path).map(({ text }) => text), ...inline].join('\n')
}

test('no document and no text of a program installs a package by a name that is in no registry', () => {
  assert.ok(DOCUMENTS.length > 60 && PROGRAMS.length > 500)
  const unknown = [
    ...DOCUMENTS.map((path) => [path, codeOf(path)] as const),
    ...PROGRAMS.map((path) => [path, readFileSync(path, 'utf8')] as const),
  ].flatMap(([path, text]) =>
    namedPackages(text)
      .filter((name) => !REGISTRY_PACKAGES.includes(name))
      .map((name) => `${path}: ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('documents name the files of the version of package.json', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  // Its commands go from this version to a fictional next one.
  const others = DOCUMENTS.filter((path) => path !== 'docs/upgrades.md')
  const named = others.flatMap((path) =>
    [
      ...readFileSync(path, 'utf8').matchAll(
        /\bdocket-(?:server|client|cli|conformance)-(\d[\w.-]*)\.tgz/g,
      ),
    ].map(([, found]) => [path, found]),
  )
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter(([, found]) => found !== version),
    [],
  )
})
