/** The running timer. */

export { ElapsedTime } from './elapsed-time.tsx'
