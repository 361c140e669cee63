import { useEffect, useState } from 'react'

/** The time in milliseconds, every half minute: what is new grows old while somebody reads. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
