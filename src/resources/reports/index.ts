import { anyone, route } from '#core/route.ts'
import {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
  timeReport,
} from './contract.ts'
import { burnUp, cycle, estimates, flow, throughput, time } from './operations.ts'

export const reports = [
  route(timeReport, anyone, time),
  route(burnUpReport, anyone, burnUp),
  route(flowReport, anyone, flow),
  route(throughputReport, anyone, throughput),
  route(cycleReport, anyone, cycle),
  route(estimateReport, anyone, estimates),
]
