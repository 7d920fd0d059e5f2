import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'

test('this test prints until its process ends', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
  writeFileSync(process.env.PID_FILE ?? '', `${process.pid} ${child.pid}`)
  for (;;) {
    console.log('still here')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})
