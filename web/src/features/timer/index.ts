/** The running timer. */

export { ElapsedTime } from './elapsed-time.tsx'
export { TimerSlip } from './timer-slip.tsx'
