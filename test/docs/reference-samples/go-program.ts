import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GO_ENV } from '../documented-programs.ts'
import type { PageSample } from './page-samples.ts'

/**
 * Builds all Go samples as one program, which runs the one that its argument names: linking each
 * would take a minute. Every sample must be as gofmt formats it.
 */
export function buildGoSamples(samples: readonly PageSample[], directory: string): string {
  const packages = new Set(['os'])
  const functions = samples.map(({ operationId, text }) => {
    const [, imports = '', body = ''] =
      /^package main\n\nimport \(\n([^)]*)\)\n\nfunc main\(\) \{\n([\s\S]*)\}$/.exec(text) ?? []
    for (const [, name = ''] of imports.matchAll(/"(.+)"/g)) packages.add(name)
    // A sample alone does not compile if it imports what it does not use.
    for (const [, name = ''] of imports.matchAll(/(\w+)"\n/g)) {
      if (!body.includes(`${name}.`)) throw new Error(`${operationId} does not use ${name}`)
    }
    return `func ${operationId}() {\n${body}}\n`
  })
  const cases = samples.map(({ operationId }) => `\tcase "${operationId}":\n\t\t${operationId}()\n`)
  const file = join(directory, 'samples.go')
  const imports = [...packages].sort().map((name) => `\t"${name}"\n`)
  writeFileSync(
    file,
    `package main\n\nimport (\n${imports.join('')})\n\nfunc main() {\n\tswitch os.Args[1] {\n${cases.join('')}\t}\n}\n\n${functions.join('\n')}`,
  )
  const unformatted = execFileSync('gofmt', ['-d', file], { encoding: 'utf8' })
  if (unformatted !== '') throw new Error(`gofmt would change samples:\n${unformatted}`)
  const program = join(directory, 'samples')
  // Without symbols for debuggers, so that the linker has less to write.
  const words = ['build', '-ldflags=-s -w', '-o', program, file]
  execFileSync('go', words, { env: GO_ENV, stdio: 'pipe' })
  return program
}
