import sys, driver, time
lang=sys.argv[1]
k=driver.Kernel(lang)
print(k.ready)
def go(code, typed=(), after=None):
    global k
    try:
        c=k.begin(code)
        for what,t in typed:
            if what.startswith('@'): k.until_event(c,what[1:])
            else: k.until_output(c,what)
            if t=='^C': k.interrupt()
            elif callable(t): t(k)
            else: k.type(t)
        k.finish(c)
        print('---',repr(code)[:100]); print('   ',c.finished['status'],c.finished['code'],c.finished['cwd'],c.error); print('   ',repr(c.output)[-700:]); 
        if c.displays: print('    D',[{x:str(y)[:100] for x,y in d.items()} for d in c.displays])
        if c.lines: print('    L',c.lines)
        return c
    except (driver.Lost,driver.Late) as e:
        print('---',repr(code)[:100]); print('    LOST',type(e),str(e)[-800:], k.process.poll()); k.close(); k=driver.Kernel(lang)
exec(open(sys.argv[2]).read())
if k.background: print('BG',k.background)
k.close()
