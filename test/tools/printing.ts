import { writeFileSync } from 'node:fs'
import { test } from 'node:test'

test('this test prints until its process ends', async () => {
  writeFileSync(process.env.PID_FILE ?? '', String(process.pid))
  for (;;) {
    console.log('still here')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})
