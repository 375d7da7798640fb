import { testBodyWork } from './fixtures/body-work.ts'

testBodyWork(1)
