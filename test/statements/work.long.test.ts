import { testWork } from './hostile/work.ts'

testWork(1)
