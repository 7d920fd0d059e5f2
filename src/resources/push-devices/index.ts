import { allowAnyRole, readRoute, writeRoute } from '#core/route.ts'
import * as internal from './internal.ts'
import { dropWaiting, list, register, remove } from './operations.ts'

export const pushDevices = [
  readRoute(internal.listPushDevices, allowAnyRole, list),
  writeRoute(internal.putPushDevice, allowAnyRole, register),
  writeRoute(internal.dropWaitingPushes, allowAnyRole, dropWaiting),
  writeRoute(internal.deletePushDevice, allowAnyRole, remove),
]
