import { allowAnyRole, readRoute } from '#core/route.ts'
import {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
  timeReport,
} from './contract.ts'
import {
  readBurnUpReport,
  readCycleReport,
  readEstimateReport,
  readFlowReport,
  readThroughputReport,
  readTimeReport,
} from './operations.ts'

export const reports = [
  readRoute(timeReport, allowAnyRole, readTimeReport),
  readRoute(burnUpReport, allowAnyRole, readBurnUpReport),
  readRoute(flowReport, allowAnyRole, readFlowReport),
  readRoute(throughputReport, allowAnyRole, readThroughputReport),
  readRoute(cycleReport, allowAnyRole, readCycleReport),
  readRoute(estimateReport, allowAnyRole, readEstimateReport),
]
