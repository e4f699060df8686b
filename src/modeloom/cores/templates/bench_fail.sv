  task fail;
    input [8*40-1:0] what;
    begin
      if (errors < 10)
        $display("modeloom-bench: cycle %0d, result %0d, status %0d: %0s", cycle, results, statuses, what);
      errors = errors + 1;
      if (errors == MOST_ERRORS)
        report;
    end
  endtask

