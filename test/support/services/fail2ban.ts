import { spawnSync } from 'node:child_process'

/** Whether fail2ban is installed, because npm has no package of it. */
export const isFail2banInstalled = spawnSync('fail2ban-regex', ['--version']).error === undefined
