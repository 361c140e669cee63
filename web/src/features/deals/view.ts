import { z } from 'zod'

export const feedSearchSchema = z.object({})
