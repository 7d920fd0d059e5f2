import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const SETUP = 'node tools/setup.cjs'
/** These need only the packages of production; all others get those of development, too. */
const FOR_PRODUCTION = ['start', 'docket', 'release']

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)

/** What npm runs first for a script: what comes before it, or before the script that it calls first. */
function findSetup(name: string): string | undefined {
  const before = scripts[`pre${name}`]
  if (before !== undefined) return before
  const [, called] = /^npm run (?:--silent )?([\w:]+)/.exec(scripts[name] ?? '') ?? []
  return called === undefined ? undefined : findSetup(called)
}

test('every npm script installs what it needs before it begins', () => {
  const names = Object.keys(scripts).filter((name) => !scripts[name]?.startsWith(SETUP))
  assert.ok(names.length > 10)
  for (const name of names) {
    const setup = findSetup(name) ?? 'nothing'
    assert.ok(setup.startsWith(SETUP), `${name}: ${setup}`)
    assert.equal(setup.includes('--dev'), !FOR_PRODUCTION.includes(name), `${name}: ${setup}`)
  }
})
