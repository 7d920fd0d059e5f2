import { cacheReplies } from '../../lib/http/reply-cache.ts'
import { keepCopies } from '../session/page-replica.ts'
import { copyKey, getHeldLists, recordReplica, subscribeToHeldRecords } from './held-records.ts'

/** Stores the held lists in the browser. Returns a function that ends it. */
export function copyHeldRecords(): () => void {
  const stored = new Map<string, readonly object[]>()
  const write = () => {
    for (const list of getHeldLists()) {
      const records = list.read()
      const copy =
        stored.get(list.name) === records ? undefined : recordReplica.copyScope(list.name)
      if (!copy) continue
      stored.set(list.name, records)
      cacheReplies([[copyKey(list.name), JSON.stringify(copy)]])
    }
  }
  return keepCopies(write, subscribeToHeldRecords)
}
