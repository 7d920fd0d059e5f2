import { spawnSync } from 'node:child_process'

/** Whether `script` of util-linux is installed, which runs a program in a terminal. */
export const isScriptInstalled = spawnSync('script', ['--version']).error === undefined
