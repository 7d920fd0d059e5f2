import { allowAnyRole, readRoute } from '#core/route.ts'
import {
  burnUpReport,
  cycleReport,
  estimateReport,
  flowReport,
  throughputReport,
  timeEntriesReport,
} from './contract.ts'
import {
  readBurnUpReport,
  readCycleReport,
  readEstimateReport,
  readFlowReport,
  readThroughputReport,
  readTimeEntries,
} from './operations.ts'

export const reports = [
  readRoute(timeEntriesReport, allowAnyRole, readTimeEntries),
  readRoute(burnUpReport, allowAnyRole, readBurnUpReport),
  readRoute(flowReport, allowAnyRole, readFlowReport),
  readRoute(throughputReport, allowAnyRole, readThroughputReport),
  readRoute(cycleReport, allowAnyRole, readCycleReport),
  readRoute(estimateReport, allowAnyRole, readEstimateReport),
]
