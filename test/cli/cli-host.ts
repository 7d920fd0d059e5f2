import { pathToFileURL } from 'node:url'
import type { CliResult } from './run-cli.ts'
import type { HostedCommand } from './run-hosted-cli.ts'

/**
 * Runs commands of a command line one after another in this process, for `run-hosted-cli.ts`. Their
 * modules are loaded once. Only the entry, which runs a command by being loaded, is loaded for each.
 */
let commands = 0

process.on('message', async ({ entry, env, cwd, words }: HostedCommand) => {
  commands += 1
  process.argv.splice(1, process.argv.length, entry, ...words)
  // The environment itself is changed, of which the home directory is read, too.
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  const [stdout, stderr] = [captureOutput(process.stdout), captureOutput(process.stderr)]
  await import(`${pathToFileURL(entry)}?${commands}`)
  const result: CliResult = { code: Number(process.exitCode), stdout: stdout(), stderr: stderr() }
  process.exitCode = undefined
  // Commands leave their handlers to the end of the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  process.send?.(result)
})

/** Collects what is written to a stream, instead of writing it, until the output is taken. */
function captureOutput(stream: NodeJS.WriteStream): () => string {
  const { write } = stream
  const chunks: Uint8Array[] = []
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk))
    const onWritten = rest.at(-1)
    if (typeof onWritten === 'function') onWritten()
    return true
  }
  return () => {
    stream.write = write
    return Buffer.concat(chunks).toString()
  }
}
