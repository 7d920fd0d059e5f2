import { spawnSync } from 'node:child_process'

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).error === undefined

/** The shells that can complete the docket command, each as it is started without files of its user. */
export const COMPLETED_SHELLS = [
  {
    name: 'bash',
    words: ['bash', '--norc', '--noprofile', '-i'],
    isInstalled: isInstalled('bash'),
  },
  { name: 'zsh', words: ['zsh', '-f', '-i'], isInstalled: isInstalled('zsh') },
  { name: 'fish', words: ['fish', '--no-config', '-i'], isInstalled: isInstalled('fish') },
] as const
