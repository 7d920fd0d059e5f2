import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { CLIENT_ENTRY, startDocketForClients } from '#test/cli-client/client-machine.ts'
import { ALERTS } from '#test/deploy/prometheus.ts'
import { isScriptInstalled, openPseudoTerminal } from '#test/support/services/script.ts'
import { COMPLETED_SHELLS } from '#test/support/services/shells.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'

/** What other programs make of Docket's files and output: each test needs its program. */

const UNIT = 'deploy/systemd/docket.service'

for (const { name, words, isInstalled } of COMPLETED_SHELLS) {
  if (isInstalled && isScriptInstalled) {
    test(`${name} completes a command that a person types`, async () => {
      const { owner } = await startDocketForClients()
      const bin = join(owner.home, 'bin')
      mkdirSync(bin)
      writeFileSync(
        join(bin, 'docket'),
        `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_ENTRY}' "$@"\n`,
      )
      chmodSync(join(bin, 'docket'), 0o755)
      const env = { ...owner.env, PATH: `${bin}:${owner.env.PATH}`, TERM: 'dumb' }
      const terminal = openPseudoTerminal(words.join(' '), env, owner.home)
      const load = {
        bash: 'eval "$(docket completion bash)"',
        zsh: 'autoload -U compinit; compinit -u -D; eval "$(docket completion zsh)"',
        fish: 'docket completion fish | source',
      }[name]
      // The shell reads the lines when it is ready; the marker is not in what it echoes.
      await terminal.type('', `${load}; echo lo''aded\r`)
      await terminal.type('loaded', 'docket whoa\t\r')
      await terminal.type('You are The owner (owner) in Test', 'exit\r')
      await terminal.end()
    })
  }
}

if (spawnSync('promtool', ['--version']).error === undefined) {
  test('promtool accepts the metrics and the alerts', async () => {
    const { url } = await startDocketForClients()
    const input = await (await fetch(`${url}/metrics`)).text()
    const metrics = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    assert.equal(metrics.status, 0, metrics.stderr)
    const rules = spawnSync('promtool', ['check', 'rules', ALERTS], { encoding: 'utf8' })
    assert.equal(rules.status, 0, rules.stderr)
  })
}

if (spawnSync('systemd-analyze', ['--version']).status === 0) {
  test('systemd accepts the unit and rates it as well sandboxed', () => {
    const copy = join(createTempDir(), basename(UNIT))
    const unit = readFileSync(UNIT, 'utf8')
    // systemd-analyze checks that the program exists.
    writeFileSync(copy, unit.replace(/^ExecStart=\S+/m, `ExecStart="${process.execPath}"`))
    const verified = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const rated = execFileSync('systemd-analyze', ['security', '--offline=true', copy], {
      encoding: 'utf8',
    })
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(rated)?.[1])
    assert.ok(exposure < 2, `${exposure} of 10`)
  })
}
