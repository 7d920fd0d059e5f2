import { spawn, spawnSync } from 'node:child_process'
import { collectOutput } from '../system/child-processes.ts'
import { waitUntil } from '../system/wait-until.ts'

/** Whether `script` of util-linux is installed, which runs a program in a terminal. */
export const isScriptInstalled = spawnSync('script', ['--version']).error === undefined

/** Runs a command of a shell in a terminal. */
export function openPseudoTerminal(command: string, env: Record<string, string>, cwd?: string) {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    ...(cwd !== undefined && { cwd }),
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { output, ended } = collectOutput(child)
  return {
    screen: () => output.stdout.replaceAll('\r', ''),
    /** Types an answer once a text is on the screen. */
    async type(prompt: string, answer: string) {
      await waitUntil(prompt, () => output.stdout.includes(prompt))
      child.stdin.write(answer)
    },
    end: async (): Promise<number | null> => (await ended).code,
  }
}
