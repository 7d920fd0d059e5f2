import type { SimulatedBrowser } from '../simulated-browser.ts'
import { pickOftenNew } from '../simulated-tasks.ts'
import type { SimulatedWorld } from '../simulated-world.ts'

const HOUR_MS = 60 * 60 * 1000

/** The person starts or stops a timer, or both. */
export function startOrStopTimer({ page }: SimulatedBrowser, world: SimulatedWorld): void {
  const { getCachedTasks, getRunningTimer, startTimer, stopTimer } = page.engine
  const isStop = getRunningTimer() && world.random() < 0.4
  const task = pickOftenNew(getCachedTasks(), world)
  if (!isStop && task) startTimer(task)
  if (isStop || world.random() < 0.5) stopTimer()
}

/** The person starts or stops a timer without a network, and then on a device that has one. */
export async function changeTimerOnTwoDevices(
  browser: SimulatedBrowser,
  world: SimulatedWorld,
): Promise<void> {
  if (world.random() < 0.5) {
    browser.goOnline(false)
    startOrStopTimer(browser, world)
    await world.pass(world.random() * HOUR_MS)
  }
  changeTimerOnOtherDevice(browser, world)
}

function changeTimerOnOtherDevice({ person }: SimulatedBrowser, world: SimulatedWorld): void {
  const { records, tasks } = world.server
  const send = (method: string, path: string, body: object) =>
    world.server.handle({ method, path, key: '', text: JSON.stringify(body), person }, world.now)
  const running = records.findRunning(person)
  const task = world.pick(tasks.all)
  if (running && world.random() < 0.3)
    send('PATCH', `/api/v1/time-entries/${running.id}`, { running: false })
  else if (task) send('POST', `/api/v1/tasks/${task.id}/time-entries`, { running: true })
}
