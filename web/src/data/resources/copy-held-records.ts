import { cacheReplies } from '../../lib/http/reply-cache.ts'
import { keepCopies } from '../session/page-replica.ts'
import { copyKey, getHeldLists, recordReplica, subscribeToHeldRecords } from './held-records.ts'

/** Stores the held lists in the browser. Returns a function that ends it. */
export function copyHeldRecords(): () => void {
  // A list that is held no longer is dropped.
  const stored = new WeakMap<object, readonly object[]>()
  const write = () => {
    for (const list of getHeldLists()) {
      const records = list.read()
      const copy = stored.get(list) === records ? undefined : recordReplica.copyScope(list.name)
      if (!copy) continue
      stored.set(list, records)
      cacheReplies([[copyKey(list.name), JSON.stringify(copy)]])
    }
  }
  return keepCopies(write, subscribeToHeldRecords)
}
