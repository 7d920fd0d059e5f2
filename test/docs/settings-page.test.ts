import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listSettingNames, parseConfig } from '#config/config.ts'
import { SECRET_SETTINGS } from '../../src/config/setting-names.ts'

const ROW = /^\| `(DOCKET_\w+)` \| (.+?) \| .+ \|$/gm
/** Settings without which some of the others are not read. */
const REQUIRED = {
  DOCKET_OIDC_ISSUER: 'https://sso.example.com',
  DOCKET_OIDC_CLIENT_ID: 'docket',
  DOCKET_OIDC_WORKSPACE: 'wsp_01k2m3n4p5q6r7s8t9v0w1x2y9',
}

const page = readFileSync('docs/operations.md', 'utf8')
const listedSettings = [...page.matchAll(ROW)].map(([, name = '', defaultCell = '']) => ({
  name,
  defaultCell,
}))

test('docs/operations.md lists every setting once', () => {
  const names = [...listSettingNames()].filter((name) => name.startsWith('DOCKET_'))
  assert.deepEqual(listedSettings.map(({ name }) => name).toSorted(), names.toSorted())
})

test('docs/operations.md gives the default of every setting', () => {
  const defaults = parseConfig(REQUIRED)
  let compared = 0
  for (const { name, defaultCell } of listedSettings) {
    const [, value] = /^`([^`]+)`$/.exec(defaultCell) ?? []
    if (value === undefined) continue
    compared += 1
    assert.deepEqual(parseConfig({ ...REQUIRED, [name]: value }), defaults, name)
  }
  assert.ok(compared > 30)
})

test('docs/operations.md lists every setting that may be in a file', () => {
  const [, list = ''] = /These settings are\s([^.]+)\./.exec(page) ?? []
  const names = [...list.matchAll(/`(DOCKET_\w+)`/g)].map(([, name = '']) => name)
  assert.deepEqual(names.toSorted(), [...SECRET_SETTINGS].toSorted())
})

test('docs/traces.md lists every setting of OpenTelemetry that Docket reads', () => {
  const traces = readFileSync('docs/traces.md', 'utf8')
  const names = [...listSettingNames()].filter((name) => name.startsWith('OTEL_'))
  assert.ok(names.length > 8)
  const unlisted = names.filter((name) => !traces.includes(`\`${name}\``))
  assert.deepEqual(unlisted, [])
})
